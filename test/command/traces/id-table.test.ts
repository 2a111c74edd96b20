import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { IdTable } from '../../../src/command/traces/id-table.ts';

it('numbers ids in the order in which they are met, and gives them back', () => {
  const ids = [
    ...Array.from({ length: 5000 }, () => randomUUID().replaceAll('-', '')),
    ...Array.from({ length: 5000 }, (_, index) => index.toString(16).padStart(32, '0')),
    ...['', 'a1', '__proto__', 'A'.repeat(32), 'g'.repeat(32), '/'.repeat(32), 'f'.repeat(31), 'f'.repeat(33)],
    ...Array.from({ length: 3000 }, (_, index) => `event ${index}`),
  ];
  const table = new IdTable();
  for (const [number, id] of ids.entries()) {
    expect(table.find(id)).toBe(-1);
    expect(table.add(id)).toBe(number);
  }
  expect(table.size).toBe(ids.length);
  for (const [number, id] of ids.entries()) {
    expect(table.add(id)).toBe(number);
    expect(table.idOf(number)).toBe(id);
  }
  expect(table.size).toBe(ids.length);
});

it('tells ids apart that differ in one digit', () => {
  const table = new IdTable();
  const zeros = '0'.repeat(32);
  table.add(zeros);
  for (let at = 0; at < 32; at += 1) {
    for (const digit of '8f') expect(table.find(`${zeros.slice(0, at)}${digit}${zeros.slice(at + 1)}`)).toBe(-1);
  }
});
