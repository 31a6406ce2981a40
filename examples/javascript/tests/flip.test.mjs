import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Signals } from '../signal.mjs';
import { Table, key, now } from './table.mjs';

const table = new Table();
const failure = (name, more = {}) => Object.assign(new Error(name), { name, ...more });
const isFlip = (command) => command.constructor.name === 'UpdateItemCommand';

/** The SDK may have sent a flip again that was applied: rev is then one higher. */
const holdDirty = async (day, rev = 4) => {
  const item = await table.item(key(day));
  assert.equal(item.gsisk.S, 'dirty');
  assert.ok(Number(item.rev.N) >= rev, `rev is ${item.rev.N}`);
  return item;
};

test('a flip marks a clean signal dirty, and leaves the rest', async () => {
  await table.checked(1);
  const { gsisk, rev, ...before } = await table.item(key(1));
  assert.equal(await table.signals().flip(key(1)), true);
  const { dirtySince, ...after } = await holdDirty(1);
  assert.equal(dirtySince.S, now.toISOString());
  assert.deepEqual(after, { ...before, gsisk: { S: 'dirty' }, rev: after.rev });
});

test('a flip of a dirty signal is written too, for a check may have claimed it: the first change stays the oldest', async () => {
  await table.checked(2, { gsisk: { S: 'dirty' }, dirtySince: { S: '2090-05-30T00:00:00.000Z' }, claimedBy: { S: 'a run' }, claimedRev: { N: '3' } });
  await table.signals().flip(key(2));
  assert.equal((await holdDirty(2)).dirtySince.S, '2090-05-30T00:00:00.000Z');
});

test('a signal that is not there is no failure, and is not made', async () => {
  const signals = table.signals();
  assert.equal(await signals.flip(key(3)), true);
  assert.equal(await table.item(key(3)), undefined);
  assert.deepEqual([signals.failedFlips, signals.log], [0, []]);
});

test('what passes is tried again', async () => {
  for (const error of [failure('TransactionConflictException', { $fault: 'client' }), failure('InternalServerError', { $fault: 'server' }), failure('TimeoutError'), failure('Error', { code: 'ECONNRESET' })]) {
    await table.checked(4);
    let failures = 3;
    const signals = table.signals({ intercept: (command, send) => (failures-- > 0 ? Promise.reject(error) : send()) });
    assert.equal(await signals.flip(key(4)), true);
    await holdDirty(4);
    assert.equal(signals.failedFlips, 0);
  }
});

test('a failure is logged and counted, and never thrown into the booking', async () => {
  await table.checked(5);
  const signals = table.signals({ intercept: (command, send) => (isFlip(command) ? Promise.reject(failure('AccessDeniedException', { $fault: 'client' })) : send()) });
  assert.equal(await signals.flip(key(5)), false);
  assert.equal(await signals.afterCommit(async () => 'booked', [key(5)]), 'booked');
  assert.equal(signals.failedFlips, 2);
  assert.deepEqual(signals.log, Array(2).fill('flip of availabilitySignal::mockPark1::backcountryCamp::1::1 2090-07-05 failed: AccessDeniedException'));
});

test('the flip begins after the commit, and is awaited', async () => {
  await table.checked(6);
  const history = [];
  const signals = table.signals({
    async intercept(command, send) {
      history.push('flip begins');
      await send();
      history.push('flip has completed');
    },
  });
  await signals.afterCommit(async () => { history.push('commit begins'); await new Promise(setImmediate); history.push('committed'); }, [key(6)]);
  history.push('answered');
  assert.deepEqual(history, ['commit begins', 'committed', 'flip begins', 'flip has completed', 'answered']);
});

test('one flip for a signal, however many of its units were booked', async () => {
  for (const day of [7, 8]) await table.checked(day);
  const flipped = [];
  const signals = table.signals({ intercept: (command, send) => { flipped.push(command.input.Key.sk.S); return send(); } });
  await signals.afterCommit(async () => {}, [key(7), key(8), key(7), key(7)]);
  assert.deepEqual(flipped, ['2090-07-07', '2090-07-08']);
});

test('a booking that is refused flips nothing, and its error is its own', async () => {
  await table.checked(9);
  const refused = failure('ConditionalCheckFailedException', { $fault: 'client', $metadata: {} });
  for (const error of [refused, new Error('sold out'), new TypeError('a fault in the application')]) {
    let calls = 0;
    await assert.rejects(table.signals().afterCommit(async () => { calls += 1; throw error; }, [key(9)]), error);
    assert.equal(calls, 1);
  }
  assert.equal((await table.item(key(9))).gsisk.S, 'clean');
});

test('outcome unknown: it is found out under the same token, and then flipped', async () => {
  await table.checked(10);
  const tokens = [];
  const answer = await table.signals().afterCommit(async (token) => {
    tokens.push(token);
    if (tokens.length < 4) throw failure('TimeoutError');
    return 'booked';
  }, [key(10)]);
  assert.equal(answer, 'booked');
  assert.equal(tokens.length, 4);
  assert.equal(new Set(tokens).size, 1);
  await holdDirty(10);
});

test('outcome unknown, and then refused: it may have been committed, so it is flipped', async () => {
  await table.checked(11);
  let calls = 0;
  await assert.rejects(table.signals().afterCommit(async () => { calls += 1; throw calls === 1 ? failure('TimeoutError') : new Error('sold out'); }, [key(11)]), /sold out/);
  await holdDirty(11);
});

test('outcome never known: it is flipped, and said', async () => {
  await table.checked(12);
  await assert.rejects(table.signals().afterCommit(async () => { throw failure('Error', { code: 'ECONNRESET' }); }, [key(12)]), { code: 'ECONNRESET' });
  await holdDirty(12);
});

test('an answer that does not come is not waited for', async () => {
  // As an open connection does, it keeps the process from ending.
  const connection = setInterval(() => {}, 1000);
  const silent = { send: (command, { abortSignal }) => new Promise((resolve, reject) => { abortSignal.addEventListener('abort', () => reject(abortSignal.reason)); }) };
  const signals = new Signals(silent, table.name, { log: () => {}, limitMs: 10 });
  assert.equal(await signals.flip(key(13)), false);
  assert.equal(signals.failedFlips, 1);
  clearInterval(connection);
});

test('whatever goes wrong with a flip, the booking stands', async () => {
  const broken = () => { throw new Error('broken'); };
  for (const [client, options] of [[{ send: broken }, {}], [{ send: async () => broken() }, { log: broken }], [{ send: () => Promise.reject() }, {}], [{ send: async () => {} }, { now: Date.now }]]) {
    const signals = new Signals(client, table.name, { log: () => {}, ...options });
    assert.equal(await signals.afterCommit(async () => 'booked', [key(14)]), 'booked');
    assert.equal(signals.failedFlips, 1);
  }
  const signals = table.signals();
  assert.equal(await signals.flip(undefined), false);
  assert.deepEqual([signals.failedFlips, signals.log], [1, ['flip of undefined undefined failed: TypeError']]);
});

test('a table that is not named, as by a variable that is not set, is refused at once', () => {
  for (const name of [undefined, null, '']) assert.throws(() => new Signals({}, name), /^TypeError: table .*: expected the name of the table of signals$/);
});

test('what is no key is refused before the booking', async () => {
  const { pk } = key(15);
  for (const keys of [[undefined], [key(15), null], [{ pk }], [{ collectionId: 'mockPark1' }], key(15), undefined]) {
    let calls = 0;
    await assert.rejects(table.signals().afterCommit(async () => { calls += 1; }, keys), TypeError);
    assert.equal(calls, 0);
  }
});

test('a booking that fails without an error fails so', async () => {
  for (const nothing of [undefined, null]) await assert.rejects(table.signals().afterCommit(() => Promise.reject(nothing), [key(16)]), (error) => error === nothing);
});
