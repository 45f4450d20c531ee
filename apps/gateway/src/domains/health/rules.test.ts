import { describe, expect, test } from 'vitest'
import { isWell, probeRequest } from './rules.ts'

const healthCheck = { method: 'GET' as const, healthyThreshold: 1, unhealthyThreshold: 1 }
const probed = {
  serviceId: 'svc_1',
  owner: '0xa',
  url: 'https://a.test:8443/x/y?z=1',
  healthPath: null,
  healthCheck: null,
  upstreamHeaders: {},
}

describe('probeRequest', () => {
  test('goes to the target itself by default', () => {
    expect(probeRequest(probed, 'probe')).toMatchObject({
      url: probed.url,
      method: 'GET',
      body: null,
      timeoutMs: 5_000,
    })
  })

  test('goes to a target with placeholders up to the first, or to its own path', () => {
    const url = 'https://a.test/v1/users-{id}/posts/{post}?z=1'
    const urlOf = (more: object) => probeRequest({ ...probed, url, ...more }, 'probe').url
    expect(urlOf({})).toBe('https://a.test/v1/users-')
    const own = { healthCheck: { ...healthCheck, path: '/service' } }
    expect(urlOf(own)).toBe('https://a.test/service')
    expect(urlOf({ ...own, healthPath: '/target?deep=1' })).toBe('https://a.test/target?deep=1')
    expect(probeRequest({ ...probed, healthPath: '/target' }, 'probe').url).toBe('https://a.test:8443/target')
  })

  test.each(['/health', '/a/../b', '/?x', '/%2e%2e//evil.test', '/.//evil.test/'])(
    'never leaves the origin of the target (%s)',
    path => {
      const { url } = probeRequest({ ...probed, healthCheck: { ...healthCheck, path } }, 'probe')
      expect(new URL(url).origin).toBe('https://a.test:8443')
    },
  )

  test('carries the headers of the service, but sets the service identity itself', () => {
    const upstreamHeaders = { authorization: 'Bearer x', 'user-agent': 'mine' }
    expect(probeRequest({ ...probed, upstreamHeaders }, 'ping').headers).toEqual({
      authorization: 'Bearer x',
      'user-agent': 'mine',
      accept: '*/*',
      'farebox-service-id': 'svc_1',
      'farebox-provider': '0xa',
      'farebox-purpose': 'ping',
    })
  })
})

test('a target that did not answer is unhealthy under any rule', () => {
  expect(isWell(null, null)).toBe(false)
  expect(isWell(null, { ...healthCheck, successCodes: [200] })).toBe(false)
})
