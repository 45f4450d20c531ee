import { describe, expect, test } from 'vitest'
import { readProgressAsked } from './mcp-progress.ts'

const call = (progressToken: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', _meta: { progressToken, 'farebox/maxCostUsdc': '1' } },
})

describe('progress is requested by', () => {
  test.each([
    ['a text', 'p-1'],
    ['a number', 0],
    ['the longest text', 'x'.repeat(256)],
  ])('%s as the progress token of a call', (_, progressToken) => {
    expect(readProgressAsked(call(progressToken))).toEqual({ id: 1, progressToken })
  })

  test.each([
    ['a token that is too long', call('x'.repeat(257))],
    ['a fraction', call(1.5)],
    ['no token', call(undefined)],
    ['another method', { ...call(1), method: 'tools/list' }],
    ['a notification', { ...call(1), id: undefined }],
    ['a batch', [call(1)]],
    ['nothing', undefined],
  ])('not by %s', (_, body) => {
    expect(readProgressAsked(body)).toBeNull()
  })
})
