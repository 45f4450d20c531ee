import { GatewayError } from '@farebox/client/errors'
import { expect, test } from 'vitest'
import { findIssues } from '../src/features/provider/manifest/find-issues.ts'
import {
  emptyManifest,
  isMetered,
  numberOf,
  paidBy,
  readAt,
  tidied,
  writeAt,
} from '../src/features/provider/manifest/manifest.ts'
import { issuesOf } from '../src/features/provider/manifest/manifest-issues.ts'

const whole = {
  serviceName: 'Weather',
  pricing: { amount: '0.05', currency: 'USDC' },
  invoke: { method: 'POST', targets: [{ url: 'https://api.weather.example/v1/now', weight: 1 }] },
}
const pathsOf = (manifest: Record<string, unknown>) => findIssues(manifest).map(({ path }) => path)

test('writes a member at its path, keeps others, and removes it for undefined', () => {
  const written = writeAt(whole, 'invoke.targets.0.weight', 3)
  expect(readAt(written, 'invoke.targets.0')).toEqual({ url: whole.invoke.targets[0]?.url, weight: 3 })
  expect(readAt(whole, 'invoke.targets.0.weight')).toBe(1)
  expect(writeAt(writeAt(whole, 'healthCheck.path', '/up'), 'healthCheck', undefined)).toEqual(whole)
  expect(writeAt(whole, 'pricing.amount', undefined)).toEqual({ ...whole, pricing: { currency: 'USDC' } })
})

test('parses numbers and returns other text unchanged', () => {
  expect([numberOf(' 30 '), numberOf('0.5'), numberOf('ten'), numberOf(' ')]).toEqual([
    30,
    0.5,
    'ten',
    undefined,
  ])
})

test("omits empty fields, except in the provider's schemas", () => {
  const manifest = {
    ...whole,
    summary: '',
    healthCheck: { path: '', method: 'GET' },
    invoke: { ...whole.invoke, request: { body: { type: 'string', default: '' } } },
  }
  expect(tidied(manifest)).toEqual({
    ...whole,
    healthCheck: { method: 'GET' },
    invoke: manifest.invoke,
  })
})

test('drops the prices of the other price model', () => {
  const metered = paidBy(whole, 'token_metered')
  expect([isMetered(metered), metered.pricing]).toEqual([true, undefined])
  const fixed = paidBy({ ...metered, outputPricePer1MTokensUsdc: '2' }, 'fixed')
  expect([isMetered(fixed), fixed.outputPricePer1MTokensUsdc]).toEqual([false, undefined])
})

test("finds the gateway's issues with their paths", () => {
  expect(pathsOf(whole)).toEqual([])
  expect(pathsOf(emptyManifest)).toEqual(['serviceName', 'invoke.targets.0.url', 'pricing.amount'])
  expect(pathsOf({ ...whole, agentToolName: 'Not this' })).toEqual(['agentToolName'])
  expect(pathsOf({ ...whole, pricing: { amount: '1.1234567' } })).toEqual(['pricing.amount'])
  expect(pathsOf({ ...whole, invoke: { ...whole.invoke, timeoutMs: 'soon' } })).toEqual(['invoke.timeoutMs'])
  expect(pathsOf(paidBy(whole, 'token_metered'))).toEqual([
    'inputPricePer1MTokensUsdc',
    'outputPricePer1MTokensUsdc',
  ])
})

test("maps the gateway's errors to their fields", () => {
  const issues = [{ path: 'upstreamHeaders.host', message: 'Is set by the gateway.' }]
  expect(issuesOf(new GatewayError('INVALID_MANIFEST', '', { detail: { issues } }), whole)).toEqual(issues)
  expect(issuesOf(new GatewayError('DUPLICATE_SERVICE_ID', ''), whole)).toMatchObject([
    { path: 'agentToolName' },
  ])
  expect(issuesOf(new GatewayError('UNSAFE_TARGET_URL', 'No.', { detail: { url: 'x' } }), whole)).toEqual([
    { path: 'invoke.targets.0.url', message: 'No.' },
  ])
  expect(issuesOf(new GatewayError('UNREACHABLE', ''), whole)).toEqual([])
})
