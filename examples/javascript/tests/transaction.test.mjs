import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { Table, key } from './table.mjs';

const table = new Table();
const pool = (day) => ({ pk: `inventoryPool::mockPark1::backcountryCamp::1::1::${key(day).sk}`, sk: 'loop' });
const stock = (day, available) => table.put({ pk: { S: pool(day).pk }, sk: { S: 'loop' }, availability: { N: String(available) } });
const booking = (day) => ({
  Update: {
    TableName: table.name, Key: { pk: { S: pool(day).pk }, sk: { S: 'loop' } }, ConditionExpression: '#left >= :one',
    UpdateExpression: 'SET #left = #left - :one', ExpressionAttributeNames: { '#left': 'availability' }, ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});
const left = async (day) => Number((await table.item(pool(day))).availability.N);
const cancelled = (...codes) => Object.assign(new Error('cancelled'), { name: 'TransactionCanceledException', $fault: 'client', CancellationReasons: codes.map((Code) => ({ Code })) });

/** Notes what is sent: the number of a transaction's items, or flip. */
const noting = (sent, fail = () => undefined) => ({
  intercept(command, send) {
    const transaction = command instanceof TransactWriteItemsCommand;
    sent.push(transaction ? command.input.TransactItems.length : 'flip');
    const error = transaction && fail(sent.length);
    return error ? Promise.reject(error) : send();
  },
});

test('a flip goes with the transaction, and again after it', async () => {
  await table.checked(1);
  await stock(1, 5);
  const sent = [];
  await table.signals(noting(sent)).transact([booking(1)], [key(1), key(1)]);
  assert.deepEqual(sent, [2, 'flip']);
  assert.equal(await left(1), 4);
  assert.ok(Number((await table.item(key(1))).rev.N) >= 5);
});

test('an entry of a transaction of the application\'s own', async () => {
  await table.checked(2);
  await stock(2, 5);
  const signals = table.signals();
  await signals.afterCommit((token) => table.client.send(new TransactWriteItemsCommand({ TransactItems: [booking(2), signals.flipItem(key(2))], ClientRequestToken: token })), [key(2)]);
  assert.equal((await table.item(key(2))).gsisk.S, 'dirty');
});

test('a signal that is missing does not stop the booking', async () => {
  await table.checked(3);
  await stock(3, 5);
  const sent = [];
  const tokens = new Set();
  const options = noting(sent);
  await table.signals({ intercept: (command, send) => { if (command.input.ClientRequestToken) tokens.add(command.input.ClientRequestToken); return options.intercept(command, send); } })
    .transact([booking(3)], [key(3), key(4)]);
  assert.deepEqual(sent, [3, 1, 'flip', 'flip']);
  assert.equal(tokens.size, 2, 'another transaction needs another token');
  assert.equal(await left(3), 4);
  assert.equal((await table.item(key(3))).gsisk.S, 'dirty');
  assert.equal(await table.item(key(4)), undefined);
});

test('sold out is the booking\'s own error, with a signal missing as well', async () => {
  await table.checked(5);
  for (const day of [5, 6]) {
    await stock(day, 0);
    const sent = [];
    await assert.rejects(table.signals(noting(sent)).transact([booking(day)], [key(day)]), { name: 'TransactionCanceledException' });
    assert.deepEqual(sent, [2]);
  }
  assert.equal((await table.item(key(5))).gsisk.S, 'clean');
});

test('a conflict is tried again, as it is', async () => {
  await table.checked(7);
  await stock(7, 5);
  const sent = [];
  await table.signals(noting(sent, (n) => n < 3 && cancelled('TransactionConflict', 'None'))).transact([booking(7)], [key(7)]);
  assert.deepEqual(sent, [2, 2, 2, 'flip']);
  assert.equal(await left(7), 4);
});

test('a lost answer books once', async () => {
  await table.checked(8);
  await stock(8, 5);
  let lost = true;
  const signals = table.signals({
    async intercept(command, send) {
      const answer = await send();
      if (!(command instanceof TransactWriteItemsCommand) || !lost) return answer;
      lost = false;
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    },
  });
  await signals.transact([booking(8)], [key(8)]);
  assert.equal(await left(8), 4);
});
