import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Table, key, product } from './table.mjs';

const table = new Table((made) => made.bucket('5min', { M: { minutes: { N: '5' } } }));
[process.env.SIGNALS_TABLE, process.env.INVENTORY_TABLE] = [table.name, table.name];
const { book, calendar } = await import('../booking.mjs');
const nights = [1, 2].map((day) => key(day).sk);

test('a booking marks its nights, and a calendar shows them', async () => {
  for (const night of nights) await table.put({ pk: { S: `inventoryPool::mockPark1::backcountryCamp::1::1::${night}` }, sk: { S: 'main' }, availability: { N: '1' } });
  await table.checked(1, { value: { S: '1' } });
  await table.checked(2, { value: { NULL: true } });
  await table.checked(3, { value: { S: 'none' } });
  await table.checked(4, { expiry: { S: '2020-01-01T00:00:00.000Z' } });
  await book(product, nights);
  for (const day of [1, 2]) assert.equal((await table.item(key(day))).gsisk.S, 'dirty');
  await assert.rejects(book(product, nights), { name: 'TransactionCanceledException' });

  const asOf = (await table.item(key(1))).lastUpdatedAt.S;
  assert.deepEqual(await calendar(product, '2090-07-01', '2090-07-04'), [`2090-07-01 1 (as of ${asOf})`, '2090-07-02 ask us', '2090-07-03 closed']);
});
