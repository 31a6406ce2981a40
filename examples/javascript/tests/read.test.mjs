import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Table, key, minutesAgo, now, product } from './table.mjs';

const five = { M: { minutes: { N: '5' } } };
const fresh = { value: '37', asOf: new Date(minutesAgo(1)), pending: false, stale: false, expired: false, unknown: false };
const table = new Table(async (made) => {
  await made.bucket('5min', five, 1);
  await made.bucket('late', five, 16);
  await made.bucket('never', five);
  await made.bucket('spoiled', { M: {} }, 1);
  // By cron: the time between its last two starts is its cadence.
  const runs = { startedAt: { S: minutesAgo(40) }, previousStartedAt: { S: minutesAgo(100) } };
  await made.bucket('cron', { M: { id: { S: 'cron' } } }, 40, {}, runs);
  await made.bucket('cron-late', { M: { id: { S: 'cron-late' } } }, 181, {}, runs);
});

const read = async (day, given, options) => {
  await table.checked(day, given);
  const [{ date, ...reading }] = await table.signals(options).readRange(product, key(day).sk, key(day).sk);
  assert.equal(date, key(day).sk);
  return reading;
};
const shard = (bucket) => ({ gsipk: { S: `cadenceBucket::${bucket}` } });

test('what is to be said of a value', async () => {
  const dirty = (minutes) => ({ gsisk: { S: 'dirty' }, dirtySince: { S: minutesAgo(minutes) } });
  const cases = [
    ['fresh', {}, {}],
    ['quiet for long', { lastUpdatedAt: { S: minutesAgo(10_000) } }, { asOf: new Date(minutesAgo(10_000)) }],
    ['pending', dirty(2), { pending: true }],
    ['pending, just not too long', dirty(15), { pending: true }],
    ['pending for more than three cadences', dirty(16), { pending: true, stale: true }],
    ['pending, nobody knows since when', { gsisk: { S: 'dirty' } }, { pending: true }],
    ['clean, with a trace of having been dirty', { dirtySince: { S: minutesAgo(100) } }, {}],
    ['an initial value', { lastUpdatedAt: { NULL: true } }, { asOf: undefined }],
    ['sold out', { value: { S: '0' } }, { value: '0' }],
    ['no inventory', { value: { S: 'none' } }, { value: 'none' }],
    ['a tier', { value: { S: 'high' } }, { value: 'high' }],
    ['no value yet', { value: { NULL: true } }, { value: undefined, unknown: true }],
    ['an empty value', { value: { S: '' } }, { value: undefined, unknown: true }],
    ['a number is no value', { value: { N: '0' } }, { value: undefined, unknown: true }],
    ['expired', { expiry: { S: now.toISOString() } }, { value: undefined, expired: true }],
    ['expired by its ttl', { ttl: { N: String(now / 1000) } }, { value: undefined, expired: true }],
    ['not expired yet', { expiry: { S: new Date(now.getTime() + 1).toISOString() } }, {}],
    ['without an end', { ttl: { NULL: true }, expiry: { NULL: true } }, {}],
    ['another shard', shard('5min::15'), {}],
    ['a bucket that has not run for three cadences', shard('late'), { stale: true }],
    ['a bucket that has never run', shard('never'), { stale: true }],
    ['a bucket that is not registered', shard('gone'), { stale: true }],
    ['a bucket whose registry item is spoiled', shard('spoiled'), { stale: true }],
    ['a shard that no bucket has', shard('5min::16'), { stale: true }],
    ['no bucket', { gsipk: { NULL: true } }, { stale: true }],
    ['a bucket by cron', shard('cron'), {}],
    ['a bucket by cron that is late', shard('cron-late'), { stale: true }],
  ];
  for (const [name, given, want] of cases) assert.deepEqual(await read(1, given), { ...fresh, ...want }, name);
});

test('values are text: none is not 0, and a count is no number', async () => {
  for (const value of ['none', '0', '37']) assert.strictEqual((await read(1, { value: { S: value } })).value, value);
});

test('a range is one query, in order, with both ends and without what is no signal', async () => {
  for (const day of [12, 10, 11, 13, 9]) await table.checked(day, { value: { S: String(day) } });
  await table.checked(14, { schema: { S: 'something else' } });
  const sent = [];
  const signals = table.signals({ intercept: (command, send) => { sent.push(command.constructor.name); return send(); } });
  const dates = async (first, last) => (await signals.readRange(product, key(first).sk, key(last).sk)).map(({ date, value }) => `${date} ${value}`);
  assert.deepEqual(await dates(10, 14), ['2090-07-10 10', '2090-07-11 11', '2090-07-12 12', '2090-07-13 13']);
  assert.deepEqual(await dates(10, 10), ['2090-07-10 10']);
  assert.deepEqual(sent, ['QueryCommand', 'BatchGetItemCommand', 'QueryCommand'], 'the buckets are remembered');
  assert.deepEqual(await dates(20, 25), []);
});

test('every page is read', async () => {
  const signals = table.signals({
    async intercept(command, send) {
      if (command.constructor.name === 'QueryCommand') command.input.Limit = 1;
      return send();
    },
  });
  assert.equal((await signals.readRange(product, key(10).sk, key(13).sk)).length, 4);
});

test('buckets that a throttled table leaves out are asked for again', async () => {
  let left = 3;
  const signals = table.signals({
    async intercept(command, send) {
      const answer = await send();
      if (command.constructor.name !== 'BatchGetItemCommand' || left-- <= 0) return answer;
      return { Responses: { [table.name]: [] }, UnprocessedKeys: command.input.RequestItems };
    },
  });
  await table.checked(15);
  assert.deepEqual(await signals.readRange(product, key(15).sk, key(15).sk), [{ date: '2090-07-15', ...fresh }]);
});

test('what is remembered of a bucket is not kept for long', async () => {
  await table.bucket('moving', five, 16);
  await table.checked(16, shard('moving'));
  let at = now;
  const signals = table.signals({ now: () => at });
  const stale = async () => (await signals.readRange(product, key(16).sk, key(16).sk))[0].stale;
  assert.equal(await stale(), true);
  await table.bucket('moving', five, 1);
  assert.equal(await stale(), true);
  at = new Date(now.getTime() + 10_000);
  assert.equal(await stale(), false);
});

test('a bucket of a later format is left to a later release', async () => {
  await table.bucket('later', five, 1, { format: { N: '2' } });
  await assert.rejects(read(1, shard('later')), /bucket later has format 2/);
});
