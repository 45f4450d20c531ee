import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { statePath } from './profiles.ts'
import { openRecords } from './records.ts'

const MAX = 1_000
const DAY_MS = 86_400_000

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'farebox-records-'))
  vi.stubEnv('XDG_CONFIG_HOME', home)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

/** Writes records of other ids, this many days old. */
function fill(count: number, days: number): void {
  const folder = join(home, 'farebox', 'calls')
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < count; index += 1) {
    const path = join(folder, `${index}.json`)
    writeFileSync(path, '{}', { mode: 0o600 })
    utimesSync(path, new Date(), new Date(Date.now() - days * DAY_MS))
  }
}

test('a full folder takes no new record, but a known one again: its request can be finished', () => {
  const records = openRecords<{ tries: number }>('calls', 30 * DAY_MS)
  records.store('known', { tries: 1 })
  fill(MAX - 1, 1)
  expect(() => records.store('new', { tries: 1 })).toThrow('The outcome of 1000 calls is unknown.')
  records.store('known', { tries: 2 })
  expect(records.find('known')).toEqual({ tries: 2 })
})

test('a folder that is full of old records takes a new one', () => {
  const records = openRecords<object>('calls', 30 * DAY_MS)
  fill(MAX, 31)
  records.store('new', {})
  expect(records.list()).toHaveLength(1)
})

test('the folder is never relative to where the program was started', () => {
  for (const [name, value] of [
    ['XDG_CONFIG_HOME', 'config'],
    ['HOME', ''],
  ] as const) {
    vi.stubEnv(name, value)
    expect(isAbsolute(statePath('calls'))).toBe(true)
  }
})
