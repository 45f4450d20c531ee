import { done, usdcOut } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/adapters/clock.ts'
import { createMetrics } from '../../src/adapters/metrics.ts'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { contract } from '../../src/http/openapi/contract.ts'
import type { Deps } from '../../src/ports.ts'
import { silent } from '../kit/silent-log.ts'
import { observeAnswers } from './observer.ts'

const about = { id: 'tell', summary: 'Tell', tag: 'Operations', access: 'public' } as const
const config = readConfig({ FAREBOX_MODE: 'dev', JWT_SECRET: 'a secret of more than 32 characters' })
const metrics = createMetrics(silent)
const deps = {
  config,
  metrics,
  log: silent,
  tracer: null,
  clock: systemClock,
  ids: { next: () => 'req_1' },
} as unknown as Deps

/** Returns what the observer reports about one answer to `GET /told`. */
async function judged(answer: () => unknown, more: object = {}): Promise<string | null> {
  const observer = observeAnswers()
  const reported = contract({ ...about, answer: done.extend({ amountUsdc: usdcOut }), ...more })
  const app = await buildApp(
    deps,
    async root => {
      root.get('/told', reported, async () => answer())
    },
    observer.onAnswer,
  )
  await app.inject('/told')
  await app.close()
  try {
    observer.assertKept()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : null
  }
}

test('accepts an answer that matches its schema', async () => {
  expect(await judged(() => ({ status: 'success', amountUsdc: '0.100000' }))).toBeNull()
})

test('reports a member that the schema does not name', async () => {
  expect(await judged(() => ({ status: 'success', amountUsdc: '0.100000', more: 1 }))).toMatch(
    /tell \(GET \/told\).*does not name/s,
  )
})

test('reports a missing or malformed member', async () => {
  expect(await judged(() => ({ status: 'success' }))).toMatch(/amountUsdc/)
  expect(await judged(() => ({ status: 'success', amountUsdc: '0.1' }))).toMatch(/amountUsdc/)
})

test('accepts an error only if the operation names its code', async () => {
  const refuse = () => {
    throw new GatewayError('WEBHOOK_NOT_FOUND')
  }
  expect(await judged(refuse)).toMatch(/WEBHOOK_NOT_FOUND, which it does not name/)
  expect(await judged(refuse, { errors: ['WEBHOOK_NOT_FOUND'] })).toBeNull()
})

test('reports a type that is not named', async () => {
  const csv = { answer: z.string(), otherTypes: { 'text/csv': 'The same as a table.' } }
  expect(await judged(() => 'plain')).toMatch(/Answers text\/plain/)
  expect(await judged(() => 'plain', csv)).toMatch(/Answers text\/plain/)
})
