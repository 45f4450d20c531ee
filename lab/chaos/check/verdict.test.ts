import { expect, test } from 'vitest'
import { readSeen } from './verdict.ts'

const BODY = '{"invocationId":"inv_1","status":"SUCCEEDED","chargedUsdc":"0.010000","result":{"n":1}}'
const EVENT = 'data: {"choices":[]}\n\n'
const whole = (status: number, text: string) => ({ status, text, isWhole: true })

test('a good answer is final, and every byte of it counts', () => {
  const verdict = readSeen(whole(200, BODY))
  expect(verdict).toEqual({
    kind: 'final',
    invocationId: 'inv_1',
    status: 'SUCCEEDED',
    charged: 10_000n,
    essence: BODY,
  })
})

test('a failure with a state is final; one without a state is a refusal', () => {
  const failed = (status: string) =>
    JSON.stringify({ code: 'UPSTREAM_ERROR', detail: { invocationId: 'inv_1', status } })
  expect(readSeen(whole(502, failed('FAILED_FINAL')))).toMatchObject({ kind: 'final', charged: 0n })
  expect(readSeen(whole(200, '{"invocationId":'))).toEqual({ kind: 'refused', code: 'NO_JSON' })
  expect(readSeen(whole(502, failed('PROCESSING')))).toEqual({ kind: 'waiting', invocationId: 'inv_1' })
  expect(readSeen(whole(503, '{"code":"UNAVAILABLE","detail":{}}'))).toEqual({
    kind: 'refused',
    code: 'UNAVAILABLE',
  })
  const running = { code: 'IDEMPOTENCY_IN_PROGRESS', detail: { invocationId: 'inv_1', status: 'PROCESSING' } }
  expect(readSeen(whole(409, JSON.stringify(running)))).toMatchObject({ kind: 'refused' })
})

test('a stream and its replay have the same essence', () => {
  const end = 'data: [DONE]\n\n'
  const first = readSeen(whole(200, `${EVENT}event: gateway\ndata: ${BODY}\n\n${end}`))
  const marked = `${BODY.slice(0, -1)},"replayed":true}`
  const again = readSeen(whole(200, `${EVENT}event: gateway\ndata: ${marked}\n\n${end}`))
  expect(first).toMatchObject({ kind: 'final', invocationId: 'inv_1' })
  expect(again).toEqual(first)
  const other = readSeen(whole(200, `event: gateway\ndata: ${BODY}\n\n${end}`))
  expect(other).not.toEqual(first)
})

test('only whole events of a cut stream count, and they are a prefix of the full essence', () => {
  const stream = `${EVENT}event: gateway\ndata: ${BODY}\n\ndata: [DONE]\n\n`
  const final = readSeen(whole(200, stream))
  if (final.kind !== 'final') throw new Error('It is not final.')
  for (let bytes = 0; bytes < stream.length; bytes += 1) {
    const cut = readSeen({ status: 200, text: stream.slice(0, bytes), isWhole: false })
    if (cut.kind !== 'lost') throw new Error('It is not lost.')
    expect(final.essence.startsWith(cut.events)).toBe(true)
  }
  expect(readSeen({ status: null, text: '', isWhole: false })).toEqual({ kind: 'lost', events: '' })
})
