// Flips, seeds and reads availability signals: README.md says how.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetItemCommand, PutItemCommand, QueryCommand, TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

const [FORMAT, BUCKETS_FOR_MS] = [1, 10_000]; // of a bucket's registry item, and for how long it is remembered
const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
const DEFAULT_TIERS = [['full', 0], ['low', 0.25], ['medium', 0.75], ['high', 1]].map(([id, maxPercentage]) => ({ id, maxPercentage }));

/** The key of a product's signal on a date, YYYY-MM-DD. Ids may be whole numbers. */
export function signalKey({ collectionId, activityType, activityId, productId }, date) {
  const parts = { collectionId, activityType, activityId, productId };
  for (const [name, part] of Object.entries(parts)) {
    if (!/^(?!:)(?!.*::)\P{Cc}+(?<!:)$/su.test(typeof part === 'string' || Number.isSafeInteger(part) ? part : '')) throw new TypeError(`${name} ${JSON.stringify(part)}: expected text without "::" and control characters that neither begins nor ends with ":"`);
  }
  if (instant(`${date}T00:00:00Z`)?.toISOString().slice(0, 10) !== date) throw new TypeError(`date ${JSON.stringify(date)}: expected a calendar date such as 2027-07-01`);
  return { pk: ['availabilitySignal', ...Object.values(parts)].join('::'), sk: date };
}

/** The gsipk of a signal in a bucket of that many shards: FNV-1a (32 bit) of pk, LF and sk. */
export function shardKey(bucket, { pk, sk }, shards = 1) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${pk}\n${sk}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  const shard = (hash >>> 0) % shards;
  return `cadenceBucket::${bucket}${shard ? `::${shard}` : ''}`;
}

/** The value of what is left of a capacity: a count or a tier's id. Bounds are compared as fractions, never as floats. */
export function valueOf({ estimationMode, tiers = DEFAULT_TIERS }, available, capacity) {
  if (capacity <= 0) return 'none';
  const left = Math.min(Math.max(available, 0), capacity);
  if (estimationMode === 'exact') return String(left);
  if (left === 0) return tiers[0].maxPercentage === 0 ? tiers[0].id : 'full';
  return tiers.find(({ maxPercentage }) => {
    const [, whole, fraction = '', exponent = 0] = /^(\d+)(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(maxPercentage));
    return BigInt(left) * 10n ** BigInt(fraction.length + Number(exponent)) <= BigInt(whole + fraction) * BigInt(capacity);
  }).id;
}

const areTiers = (tiers) => new Set(tiers.map(({ id }) => id)).size === tiers.length && tiers.at(-1)?.maxPercentage === 1
  && tiers.every(({ id, maxPercentage: bound }, i) => id && typeof id === 'string' && (i ? bound > tiers[i - 1].maxPercentage : bound >= 0) && typeof bound === 'number');
/** An expiry as DynamoDB's TTL has it: epoch seconds, rounded up. */
export const ttlOf = (expiry) => Math.ceil(instant(expiry).getTime() / 1000);
const instant = (text) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && Date.parse(text) ? new Date(text) : undefined);
const once = (keys) => [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
const itemKey = ({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } });
/** Nothing was written, because of another write or a limit: it may be sent again. */
const busy = ({ name, CancellationReasons }) => (CancellationReasons
  ? CancellationReasons.every(({ Code }) => ['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'].includes(Code))
  : /TransactionConflict|TransactionInProgress|ReplicatedWriteConflict|Throttl|ThroughputExceeded|RequestLimit/.test(name));
/** Nobody knows whether it was written: the service failed, or no (whole) answer came. */
const outcomeUnknown = ({ name, code, $fault, $metadata }) => $fault === 'server' || /Abort|Timeout|Networking/.test(name)
  || /^E(?!RR_)/.test(code) || ($fault === undefined && $metadata !== undefined);

function parseBucket(name, items) {
  const [item, run] = [items.get(`cadenceBucket::${name} cadenceBucket`), items.get(`cadenceBucket::${name} run`)];
  const format = Number(item?.format?.N);
  if (format > FORMAT) throw new Error(`bucket ${name} has format ${format}, and this signal.mjs reads ${FORMAT}: take a later one`);
  const { S, M } = item?.cadence ?? {};
  const cadence = Object.entries(UNIT_MS).reduce((sum, [unit, ms]) => sum + ms * Number(M?.[unit]?.N ?? 0), 0);
  const [started, previous, lastRun] = ['startedAt', 'previousStartedAt', 'lastRunAt'].map((at) => instant(run?.[at]?.S)?.getTime());
  const interval = cadence || (previous < started ? Math.max(started - previous, 60_000) : 0);
  const registered = item?.schema?.S === 'cadenceBucket' && format >= 1 && Boolean(cadence || S || M?.id?.S);
  return { registered, interval, lastRun, cadence: item?.cadence, shards: Number(item?.shards?.N ?? 1) };
}

function reading(item, bucket, now) {
  const at = (name) => instant(item[name]?.S);
  const late = (then) => bucket.interval > 0 && now - then > 3 * bucket.interval;
  const [value, pending] = [item.value?.S || undefined, item.gsisk?.S === 'dirty'];
  const expired = at('expiry') <= now || Number(item.ttl?.N) * 1000 <= now;
  const stale = !bucket?.registered || !bucket.lastRun || late(bucket.lastRun) || (pending && late(at('dirtySince')));
  return { date: item.sk.S, value: expired ? undefined : value, asOf: at('lastUpdatedAt'), pending, stale, expired, unknown: !value };
}
const repeat = (send, again, n = 1) => Promise.resolve().then(send).catch(async (error) => {
  if (n === 8 || !again(error ?? {})) throw error;
  await sleep(Math.random() * 10 * 2 ** n);
  return repeat(send, again, n + 1);
});

/** The signals of one table. A process has one of these. */
export class Signals {
  /** How many flips have failed: put an alarm on it. */
  failedFlips = 0;
  #send; #table; #now; #log; #buckets = new Map();

  constructor(client, table, { now = () => new Date(), log = console.error, limitMs = 5000 } = {}) {
    if (typeof table !== 'string' || !table) throw new TypeError(`table ${JSON.stringify(table)}: expected the name of the table of signals`);
    this.#send = (command) => client.send(command, { abortSignal: AbortSignal.timeout(limitMs) });
    [this.#table, this.#now, this.#log] = [table, now, log];
  }

  /** Marks a signal dirty, once its change has committed. It never throws: a failure is logged and counted, and answers false. */
  async flip(key) {
    return repeat(() => this.#send(new UpdateItemCommand(this.#flip(key))), (error) => busy(error) || outcomeUnknown(error)).then(() => true, (error) => {
      if (error?.name === 'ConditionalCheckFailedException') return true; // no such signal: nothing to flip
      this.failedFlips += 1;
      try { this.#log(`flip of ${key?.pk} ${key?.sk} failed: ${error?.name}`); } catch { /* It is counted, and the booking stands. */ }
      return false;
    });
  }

  /** A flip as an entry of TransactWriteItems. It does not save the flip after the commit: transact makes both. */
  flipItem(key) { return { Update: this.#flip(key) }; }

  /** Makes a change, then flips each of its signals once. A key that is none throws before it. send(token) is called again, with the same token, until its outcome is
   * known, and must have one effect however often. Never known: flips, and throws. What send throws is thrown. */
  async afterCommit(send, keys, isUnknown = outcomeUnknown) {
    if (!keys.every((key) => typeof key?.pk === 'string' && typeof key.sk === 'string')) throw new TypeError(`keys ${JSON.stringify(keys)}: expected those that signalKey makes`);
    const [token, flips] = [randomUUID(), once(keys)];
    let uncommitted = true; // for certain
    const again = (error) => { uncommitted &&= !isUnknown(error); return isUnknown(error) || busy(error); };
    const done = (answer) => { uncommitted = false; return answer; };
    try {
      return await repeat(async () => done(await send(token)), again);
    } finally {
      if (!uncommitted) await Promise.all(flips.map((key) => this.flip(key)));
    }
  }

  /** Writes the items of a transaction and the flips in one, and flips again after it. A signal that is missing does not stop it. */
  async transact(items, keys) {
    const send = (flips) => (token) => this.#send(new TransactWriteItemsCommand({ TransactItems: [...items, ...flips], ClientRequestToken: token }));
    try {
      return await this.afterCommit(send(once(keys).map((key) => this.flipItem(key))), keys);
    } catch (error) {
      const missing = ({ Code }, i) => i >= items.length && Code === 'ConditionalCheckFailed';
      const reasons = error.CancellationReasons ?? [];
      if (!reasons.some(missing) || !busy({ CancellationReasons: reasons.filter((reason, i) => !missing(reason, i)) })) throw error;
      return this.afterCommit(send([]), keys);
    }
  }

  /** Seeds a signal, dirty, and says whether there was none. expiry is signal_expiry's: Node's time zones may be out of date. */
  async seed(product, date, { bucket, pattern: { estimationMode, tiers = DEFAULT_TIERS } = {}, expiry, seededBy }) {
    if (estimationMode !== 'exact' && !(estimationMode === 'tiered' && areTiers(tiers))) throw new TypeError(`pattern ${JSON.stringify({ estimationMode, tiers })}: expected exact, or tiered with bounds that rise to 1`);
    const [key, now, at, globalId] = [signalKey(product, date), this.#now(), instant(expiry), randomUUID()];
    if (!(at > now)) throw new TypeError(`expiry ${JSON.stringify(expiry)}: expected an instant to come, as signal_expiry gives it`);
    if (!seededBy || /^(stream$|terraform:)/.test(seededBy)) throw new TypeError(`seededBy ${JSON.stringify(seededBy)}: expected a name of your own`);
    const { registered, shards, cadence } = (await this.#readBuckets([bucket])).get(bucket);
    if (!registered) throw new Error(`bucket ${JSON.stringify(bucket)} is not registered in table ${this.#table}: nothing would ever check its signals`);
    const L = tiers.map(({ id, maxPercentage, label }) => ({ M: { id: { S: id }, maxPercentage: { N: String(maxPercentage) }, ...(label && { label: { S: label } }) } }));
    const pattern = { estimationMode: { S: estimationMode }, cadence, ...(estimationMode === 'tiered' && { tiers: { L } }) };
    const Item = {
      ...itemKey(key), schema: { S: 'availabilitySignal' }, globalId: { S: globalId }, seededBy: { S: seededBy }, availabilityEstimationPattern: { M: pattern },
      gsipk: { S: shardKey(bucket, key, shards) }, gsisk: { S: 'dirty' }, dirtySince: { S: now.toISOString() }, rev: { N: '0' },
      expiry: { S: at.toISOString() }, ttl: { N: String(ttlOf(expiry)) },
    };
    const onlyNew = { ConditionExpression: 'attribute_not_exists(#pk)', ExpressionAttributeNames: { '#pk': 'pk' }, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
    return this.#send(new PutItemCommand({ TableName: this.#table, Item, ...onlyNew })).then(() => true, (error) => {
      if (error.name !== 'ConditionalCheckFailedException') throw error;
      return error.Item?.globalId?.S === globalId; // the SDK has repeated what was written
    });
  }

  /** A product's signals from one date to another, in order: {date, value, asOf, pending, stale, expired, unknown} each. */
  async readRange(product, first, last) {
    const [from, to] = [signalKey(product, first), signalKey(product, last)];
    const names = ['pk', 'sk', 'schema', 'gsipk', 'gsisk', 'value', 'lastUpdatedAt', 'dirtySince', 'expiry', 'ttl'];
    const query = {
      TableName: this.#table, KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
      ProjectionExpression: names.map((name) => `#${name}`).join(), ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: { ':pk': { S: from.pk }, ':from': { S: from.sk }, ':to': { S: to.sk } },
    };
    const items = [];
    do {
      const { Items, LastEvaluatedKey } = await this.#send(new QueryCommand(query));
      items.push(...Items.filter(({ schema }) => schema?.S === 'availabilitySignal'));
      query.ExclusiveStartKey = LastEvaluatedKey;
    } while (query.ExclusiveStartKey);
    const bucketOf = ({ gsipk }) => /^cadenceBucket::([a-z0-9][a-z0-9-]{0,39})(::([1-9]|1[0-5]))?$/.exec(gsipk?.S)?.[1];
    const buckets = await this.#readBuckets(new Set(items.map(bucketOf).filter(Boolean)));
    return items.map((item) => reading(item, buckets.get(bucketOf(item)), this.#now()));
  }

  #flip(key) {
    return {
      TableName: this.#table, Key: itemKey(key), ConditionExpression: 'attribute_exists(#pk)',
      UpdateExpression: 'SET #gsisk = :dirty, #dirtySince = if_not_exists(#dirtySince, :now) ADD #rev :one',
      ExpressionAttributeNames: { '#pk': 'pk', '#gsisk': 'gsisk', '#dirtySince': 'dirtySince', '#rev': 'rev' },
      ExpressionAttributeValues: { ':dirty': { S: 'dirty' }, ':now': { S: this.#now().toISOString() }, ':one': { N: '1' } },
    };
  }

  async #readBuckets(names) {
    const now = this.#now().getTime();
    const asked = [...names].filter((name) => !(this.#buckets.get(name)?.registered && Math.abs(now - this.#buckets.get(name).at) < BUCKETS_FOR_MS));
    let Keys = asked.flatMap((name) => ['cadenceBucket', 'run'].map((sk) => itemKey({ pk: `cadenceBucket::${name}`, sk })));
    const found = new Map();
    while (Keys.length > 0) {
      const { Responses, UnprocessedKeys } = await this.#send(new BatchGetItemCommand({ RequestItems: { [this.#table]: { Keys: Keys.slice(0, 100), ConsistentRead: true } } }));
      for (const item of Responses[this.#table]) found.set(`${item.pk.S} ${item.sk.S}`, item);
      const left = UnprocessedKeys?.[this.#table]?.Keys ?? [];
      if (left.length > 0) await sleep(Math.random() * 200);
      Keys = [...left, ...Keys.slice(100)];
    }
    for (const name of asked) this.#buckets.set(name, { at: now, ...parseBucket(name, found) });
    return this.#buckets;
  }
}
