import type { Log } from '../../src/ports.ts'

/** A log that nobody reads. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
