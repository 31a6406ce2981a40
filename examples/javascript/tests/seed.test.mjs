import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Table, key, now, product } from './table.mjs';

const cadence = { M: { minutes: { N: '5' } } };
const terms = { bucket: '5min', pattern: { estimationMode: 'exact' }, expiry: '2090-07-02T07:00:00.000Z', seededBy: 'our-admin-tool' };
const table = new Table((made) => made.bucket('5min', cadence, 1, { shards: { N: '5' } }));

test('a signal as every seeder makes it', async () => {
  assert.equal(await table.signals().seed(product, '2090-07-01', terms), true);
  const { globalId, ...item } = await table.item(key(1));
  assert.match(globalId.S, /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  assert.deepEqual(item, {
    pk: { S: 'availabilitySignal::mockPark1::backcountryCamp::1::1' }, sk: { S: '2090-07-01' }, schema: { S: 'availabilitySignal' },
    gsipk: { S: 'cadenceBucket::5min::1' }, gsisk: { S: 'dirty' }, dirtySince: { S: now.toISOString() }, rev: { N: '0' },
    expiry: { S: '2090-07-02T07:00:00.000Z' }, ttl: { N: '3802662000' }, seededBy: { S: 'our-admin-tool' },
    availabilityEstimationPattern: { M: { estimationMode: { S: 'exact' }, cadence } },
  });
});

test('tiers are the default ones, or one\'s own', async () => {
  const signals = table.signals();
  const stored = async (day, pattern) => {
    await signals.seed(product, key(day).sk, { ...terms, pattern });
    return (await table.item(key(day))).availabilityEstimationPattern.M.tiers.L.map(({ M }) => [M.id.S, M.maxPercentage.N, M.label?.S]);
  };
  assert.deepEqual(await stored(2, { estimationMode: 'tiered' }), [['full', '0', undefined], ['low', '0.25', undefined], ['medium', '0.75', undefined], ['high', '1', undefined]]);
  const own = [{ id: 'few', label: 'A few', maxPercentage: 0.1 }, { id: 'many', maxPercentage: 1 }];
  assert.deepEqual(await stored(3, { estimationMode: 'tiered', tiers: own }), [['few', '0.1', 'A few'], ['many', '1', undefined]]);
});

test('what is there already stays', async () => {
  await table.checked(4);
  const was = await table.item(key(4));
  assert.equal(await table.signals().seed(product, '2090-07-04', terms), false);
  assert.deepEqual(await table.item(key(4)), was);
});

test('one whose answer was lost, and that was sent again, is its own', async () => {
  const signals = table.signals({
    async intercept(command, send) {
      const answer = await send();
      return command.constructor.name === 'PutItemCommand' ? send() : answer;
    },
  });
  assert.equal(await signals.seed(product, '2090-07-05', terms), true);
});

test('what cannot be seeded', async () => {
  const refused = (more, message) => assert.rejects(table.signals().seed(product, '2090-07-06', { ...terms, ...more }), message);
  await refused({ bucket: '9min' }, /bucket "9min" is not registered in table availability-test-.*: nothing would ever check its signals/);
  await refused({ expiry: undefined }, /expiry undefined: expected an instant to come, as signal_expiry gives it/);
  await refused({ expiry: '2090-07-02' }, /expiry "2090-07-02"/);
  await refused({ expiry: now.toISOString() }, /expected an instant to come/);
  await refused({ seededBy: '' }, /seededBy "": expected a name of your own/);
  await refused({ seededBy: 'terraform:1' }, /expected a name of your own/);
  await refused({ seededBy: 'stream' }, /expected a name of your own/);
  const tiers = (...bounds) => ({ pattern: { estimationMode: 'tiered', tiers: bounds.map((maxPercentage, i) => ({ id: `tier${i}`, maxPercentage })) } });
  for (const more of [{ pattern: undefined }, { pattern: {} }, { pattern: { estimationMode: 'high' } }, tiers(), tiers(0.5), tiers(0.5, 0.5, 1), tiers(-1, 1), tiers('0', '1')]) {
    await refused(more, /expected exact, or tiered with bounds that rise to 1/);
  }
  await refused({ pattern: { estimationMode: 'tiered', tiers: [{ id: 'a', maxPercentage: 0 }, { id: 'a', maxPercentage: 1 }] } }, /expected exact, or tiered/);
  assert.equal(await table.item(key(6)), undefined);
});

test('a bucket of a later format is left to a later release', async () => {
  await table.bucket('later', cadence, 1, { format: { N: '2' } });
  await assert.rejects(table.signals().seed(product, '2090-07-07', { ...terms, bucket: 'later' }), /bucket later has format 2, and this signal.mjs reads 1/);
});
