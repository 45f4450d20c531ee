import type { InputOf } from '@farebox/client'
import { privateKeyToAccount } from 'viem/accounts'
import type { Actor } from './actor.ts'

const DELIVERED_TRIES_MAX = 100

/** Sets names and email addresses: the owner's is verified, the provider's waits for its code. */
export async function introduce(owner: Actor, provider: Actor): Promise<void> {
  await updateProfile(owner, { username: 'Ada from Research', notifications: true })
  await updateProfile(provider, { username: 'Weather Works', email: 'ops@weather.example' })
}

async function updateProfile(
  { key, api }: Actor,
  change: Omit<InputOf<'updateProfile'>['body'], 'message' | 'signature'>,
): Promise<void> {
  const { challenge: message } = await api.issueProfileChallenge()
  const signature = await privateKeyToAccount(key).signMessage({ message })
  await api.updateProfile({ body: { message, signature, ...change } })
}

/** Turns alerts on, below thresholds that the calls to come will cross. */
export async function watch({ api }: Actor): Promise<void> {
  const { consumer_available_balance } = await api.readBalance()
  await api.updateAlertSettings({
    body: {
      budgetPercents: [80, 100],
      balanceBelowUsdc: (Number(consumer_available_balance) - 0.01).toFixed(6),
      failureRate: { percent: 5, minCalls: 5 },
    },
  })
}

/** Creates two webhooks, one with a delivery and one disabled. Returns the id of the first. */
export async function listen({ api }: Actor, url: string): Promise<string> {
  const off = await api.createWebhook({ body: { url: `${url}/staging`, events: ['deposit.credited'] } })
  await api.updateWebhook({ path: { id: off.webhook.id }, body: { isActive: false } })
  const { webhook } = await api.createWebhook({
    body: {
      url: `${url}/hooks/farebox`,
      events: ['balance.low', 'credential.exhausted', 'invocation.failed', 'deposit.credited'],
    },
  })
  const path = { id: webhook.id }
  await api.testWebhook({ path })
  for (let tries = 0; tries < DELIVERED_TRIES_MAX; tries++) {
    const { deliveries } = await api.listWebhookDeliveries({ path })
    if (deliveries.every(({ status }) => status === 'delivered')) break
    await new Promise(done => setTimeout(done, 200))
  }
  return webhook.id
}

/** Returns calls to show: one with a fixed price, one metered, one failed. */
export async function pickCalls({ api }: Actor): Promise<Record<string, string>> {
  const { logs } = await api.listUsage({ query: { limit: 100 } })
  const find = (fits: (call: (typeof logs)[number]) => boolean) => logs.find(fits)?.invocationId ?? 'none'
  return {
    call: find(({ status, inputTokens }) => status === 'SUCCEEDED' && inputTokens === null),
    'metered-call': find(({ inputTokens }) => inputTokens !== null),
    'failed-call': find(({ status }) => status.startsWith('FAILED')),
  }
}
