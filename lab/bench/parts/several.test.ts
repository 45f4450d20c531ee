import { expect, test } from 'vitest'
import { appendsIn } from './several.ts'

test('sums batches and conflicts over all gateways, and returns null where none reports them', () => {
  const metrics = [
    'farebox_ledger_batches_total{how="appended"} 10\nfarebox_ledger_batches_total{how="locked"} 2',
    'farebox_ledger_batches_total{how="locked"} 3\nfarebox_ledger_conflicts_total 4\nfarebox_ledger_conflicts 9',
  ]
  expect(appendsIn(metrics)).toEqual({ batches: 15, locked: 5, conflicts: 4 })
  expect(appendsIn(['farebox_calls_total 1'])).toBeNull()
})
