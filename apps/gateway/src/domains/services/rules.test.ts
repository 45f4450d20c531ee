import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../test/kit/code-point.ts'
import { afterProbe, deriveToolName, healthOf, likeAnywhere, statusOf } from './rules.ts'

const at = new Date(1_700_000_000_900)
const never = { isHealthy: false, lastProbedAt: null }
const well = { isHealthy: true, lastProbedAt: at }
const ill = { isHealthy: false, lastProbedAt: new Date(at.getTime() - 60_000) }

describe('status and health', () => {
  test('deleted takes precedence over suspended, suspended over inactive', () => {
    const active = { isActive: true, suspendedAt: null, deletedAt: null }
    expect(statusOf(active)).toBe('active')
    expect(statusOf({ ...active, isActive: false })).toBe('inactive')
    expect(statusOf({ isActive: false, suspendedAt: at, deletedAt: null })).toBe('suspended')
    expect(statusOf({ isActive: false, suspendedAt: at, deletedAt: at })).toBe('deleted')
  })

  test.each([
    ['unknown before the first probe', [never, never], 'unknown', false],
    ['healthy when all are', [well, well], 'healthy', true],
    ['healthy while a new target waits for its first probe', [well, never], 'healthy', true],
    ['degraded when some are', [well, ill], 'degraded', true],
    ['unhealthy when none is', [ill, never], 'unhealthy', false],
  ] as const)('%s', (_, targets, overallStatus, runtimeAvailable) => {
    expect(healthOf('active', targets)).toMatchObject({ overallStatus, runtimeAvailable })
  })

  test('an inactive service is unavailable, however healthy', () => {
    expect(healthOf('inactive', [well]).runtimeAvailable).toBe(false)
    expect(healthOf('suspended', [well]).runtimeAvailable).toBe(false)
  })

  test('lastCheckedAt is the newest probe of its targets, in whole seconds', () => {
    expect(healthOf('active', [ill, well, never]).lastCheckedAt).toBe(1_700_000_000)
    expect(healthOf('active', [never]).lastCheckedAt).toBeNull()
  })
})

describe('afterProbe', () => {
  const thresholds = { healthyThreshold: 2, unhealthyThreshold: 3 }
  const follow = (findings: string, from = { isHealthy: false, streak: 0, isProbed: false }) => {
    let state = from
    return [...findings].map(finding => {
      state = { ...afterProbe(state, finding === '+', thresholds), isProbed: true }
      return state.isHealthy ? 'H' : 'u'
    })
  }

  test('the first probe decides at once', () => {
    expect(follow('+')).toEqual(['H'])
    expect(follow('-')).toEqual(['u'])
  })

  test('later ones decide after a run that meets the threshold', () => {
    expect(follow('+--+---').join('')).toBe('HHHHHHu')
    expect(follow('-+-++').join('')).toBe('uuuuH')
  })
})

describe('a derived tool name', () => {
  test.each([
    ['Weather API', '', 'weather-api'],
    ['  Météo — Zürich!  ', '', 'meteo-zurich'],
    ['天気', '', 'service'],
    ['Weather API', 'a1b2c3d4', 'weather-api-a1b2c3'],
  ])('of %j is %j', (name, suffix, derived) => {
    expect(deriveToolName(name, suffix)).toBe(derived)
  })

  test('is always a tool name, and never looks like a service id', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint, maxLength: 200 }),
        fc.constantFrom('', 'abc123'),
        (name, suffix) => {
          const derived = deriveToolName(name, suffix)
          expect(derived).toMatch(/^[a-z0-9_-]{1,64}$/)
          expect(derived.startsWith('svc_')).toBe(false)
        },
      ),
    )
  })
})

test('a search takes wildcards literally', () => {
  expect(likeAnywhere('100%_\\')).toBe('%100\\%\\_\\\\%')
})
