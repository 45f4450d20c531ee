import { expect, test } from 'vitest'
import { startTestGateway } from '../kit/gateway/test-gateway.ts'
import { send } from '../kit/network/http.ts'
import { newWallet } from '../kit/world/wallets.ts'
import { countStatuses } from '../kit/world/world.ts'

const CHALLENGES_PER_MINUTE = 3
/** As seen by the balancer. */
const SEEN = '203.0.113.7'

test.each([
  ['without a proxy', '0', (forged: string) => forged],
  ['behind one proxy', '1', (forged: string) => `${forged}, ${SEEN}`],
  ['behind two proxies', '2', (forged: string) => `${forged}, ${SEEN}, 10.1.2.3`],
  [
    'behind proxies in trusted networks',
    '127.0.0.0/8,10.0.0.0/8',
    (forged: string) => `${forged}, ${SEEN}, 10.1.2.3`,
  ],
])(
  'ignores addresses that a client writes into X-Forwarded-For when counting limits, %s',
  async (_, trusted, forwarded) => {
    const gateway = await startTestGateway({
      env: { TRUST_PROXY: trusted, CHALLENGES_PER_MINUTE: String(CHALLENGES_PER_MINUTE) },
      clock: { now: () => 1_800_000_000_000, elapsed: () => performance.now(), pause: async () => undefined },
    })
    const ask = (header: string) =>
      send(gateway.url, `/api/v1/auth/challenge?address=${newWallet().address}`, {
        headers: { 'x-forwarded-for': header },
      })
    try {
      const answers = await Promise.all(
        Array.from({ length: 2 * CHALLENGES_PER_MINUTE }, (_, turn) => ask(forwarded(`198.51.100.${turn}`))),
      )
      expect(countStatuses(answers)).toEqual({ 200: CHALLENGES_PER_MINUTE, 429: CHALLENGES_PER_MINUTE })
      // Another client, as seen by the proxies, is counted separately; without proxies there is none.
      const other = await ask(forwarded('198.51.100.1').replace(SEEN, '203.0.113.8'))
      expect(other.status).toBe(trusted === '0' ? 429 : 200)
    } finally {
      await gateway.stop()
    }
  },
)
