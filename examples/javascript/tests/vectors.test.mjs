// What every implementation in every language must agree on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shardKey, signalKey, ttlOf, valueOf } from '../signal.mjs';

const vectors = JSON.parse(readFileSync(new URL('../../../runtime/signal/testdata/vectors.json', import.meta.url)));

test('keys', () => {
  for (const { product, date, pk, sk } of vectors.keys) assert.deepEqual(signalKey(product, date), { pk, sk });
  assert.equal(signalKey({ collectionId: 'mockPark1', activityType: 'backcountryCamp', activityId: 1, productId: 1 }, '2026-07-01').pk, vectors.keys[0].pk);
});

test('what is no key', () => {
  for (const { product, date, why } of vectors.invalidKeys) assert.throws(() => signalKey(product, date), TypeError, why);
  assert.throws(() => signalKey({}, '2026-07-01'), /collectionId undefined: expected text/);
  for (const activityId of [1.5, 1e21, NaN, true, {}, ['1']]) assert.throws(() => signalKey({ ...vectors.keys[0].product, activityId }, '2026-07-01'), /^TypeError: activityId .*: expected text/);
});

test('shards', () => {
  for (const { pk, sk, bucket, shards, gsipk } of vectors.shards) assert.equal(shardKey(bucket, { pk, sk }, shards), gsipk);
});

test('expiries', () => {
  for (const { expiry, ttl } of vectors.expiries) assert.equal(ttlOf(expiry), ttl);
  assert.equal(ttlOf('2026-07-02T07:00:00.001Z'), 1782975601, 'it must not be deleted before it has expired');
});

test('values', () => {
  for (const { pattern, available, capacity, value } of vectors.tiers) assert.equal(valueOf(pattern, available, capacity), value, `${available} of ${capacity} under ${JSON.stringify(pattern)}`);
});
