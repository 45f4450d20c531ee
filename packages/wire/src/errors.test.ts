import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorTable, GatewayError } from './errors.ts'

const documented = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8')
const rows = [...documented.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \| (.+?) \| (.+?) \|$/gm)]

describe('the error table', () => {
  test('docs/errors.md lists exactly the codes, statuses and messages of the gateway', () => {
    const fromDocs = rows.map(([, status, code, message]) => [code, [Number(status), message]])
    expect(Object.fromEntries(fromDocs)).toEqual(errorTable)
    expect(rows.length).toBe(Object.keys(errorTable).length)
  })

  test('an error body repeats code and message in its detail, beside the context', () => {
    const error = new GatewayError('PRICE_MISMATCH', { currentPriceUsdc: '0.020000' })
    expect(error.toBody('req_1')).toEqual({
      code: 'PRICE_MISMATCH',
      message: errorTable.PRICE_MISMATCH[1],
      requestId: 'req_1',
      detail: { code: 'PRICE_MISMATCH', message: errorTable.PRICE_MISMATCH[1], currentPriceUsdc: '0.020000' },
    })
  })

  test('omits the cause of an error from its body', () => {
    const error = new GatewayError(
      'UNAVAILABLE',
      {},
      { cause: new Error('password=hunter2'), retryAfterSeconds: 2 },
    )
    expect(JSON.stringify(error.toBody('req_1'))).not.toContain('hunter2')
    expect(error.context).toEqual({ retryAfterSeconds: 2 })
  })

  test('uses 504 for a provider timeout, and 502 for every other provider failure', () => {
    expect(new GatewayError('UPSTREAM_ERROR', { reason: 'timeout' }).status).toBe(504)
    expect(new GatewayError('UPSTREAM_ERROR', { reason: 'reset' }).status).toBe(502)
  })
})
