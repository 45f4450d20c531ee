import type { Log } from '../../src/ports.ts'

/** A log that discards everything. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
