import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type CredentialGateway,
  startCredentialGateway,
} from '../../../test/kit/gateway/credential-gateway.ts'

let gateway: CredentialGateway
beforeAll(async () => {
  gateway = await startCredentialGateway()
})
afterAll(() => gateway.stop())

test.each(['', '/quota'])(
  'a credit limit above the spending policy is LIMIT_EXCEEDED at PATCH /:id%s',
  async path => {
    const owner = await gateway.owner()
    await owner.ask('PUT', '/balance/spending-limit', { spendingLimitUsdc: '10' })
    const { id } = await gateway.issue(owner, { creditLimit: 5 })
    const { status, body } = await owner.ask('PATCH', `/credentials/agent/${id}${path}`, { creditLimit: 11 })
    expect([status, body.code]).toEqual([422, 'LIMIT_EXCEEDED'])
    expect(body.detail).toMatchObject({ creditLimit: '11.000000', maxCreditLimitUsdc: '10.000000' })
    const state = await owner.ask('GET', `/credentials/agent/${id}/status`)
    expect(state.body.creditLimit).toBe('5.000000')
  },
)
