import { actIn, serviceActAnswer, walletActAnswer, walletPathIn } from '@farebox/wire/admin'
import { parseWallet, type WalletAddress } from '@farebox/wire/auth'
import { GatewayError } from '@farebox/wire/errors'
import { serviceParams } from '@farebox/wire/services'
import type { App } from '../../app.ts'
import { forRequest } from '../../http/observe.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { ownerOf } from '../auth/require-owner.ts'
import { setServiceSuspension, setWalletSuspension } from './set-suspension.ts'

const words = {
  suspend: {
    verb: 'Suspend',
    service:
      'After the response no gateway admits calls to it: callers do not find it, its owner cannot change it, and it is not probed. Calls in flight end normally. Suspending it again changes nothing.',
    wallet:
      'After the response its sessions, agent credentials and provider secrets are refused with WALLET_SUSPENDED, its services are not found, and it cannot open withdrawals. Calls in flight end normally. An unknown wallet is suspended in advance; an admin cannot be suspended.',
  },
  resume: {
    verb: 'Lift the suspension of',
    service: 'It is probed at once and found again once it is healthy.',
    wallet: 'Its sessions, credentials, secrets and services work again.',
  },
} as const

/** Registers the routes for suspending services and wallets. */
export function suspensionRoutes(app: App, deps: Deps): void {
  const onRequest = adminGuard(deps)
  const about = { tag: 'Admin', access: 'admin' } as const

  for (const how of ['suspend', 'resume'] as const) {
    const { verb, service, wallet } = words[how]
    app.post(
      `/admin/services/:id/${how}`,
      {
        ...contract(
          {
            id: `${how}Service`,
            summary: `${verb} a service`,
            description: service,
            ...about,
            errors: ['SERVICE_NOT_FOUND', 'SERVICE_ALREADY_DELETED'],
            answer: serviceActAnswer,
          },
          { params: serviceParams, body: actIn },
        ),
        onRequest,
      },
      async request => {
        const by = { actor: ownerOf(request).wallet, reason: request.body?.reason ?? null }
        const changed = await setServiceSuspension(forRequest(deps, request), how, {
          ...by,
          reference: request.params.id,
        })
        return { status: 'success', serviceId: changed.serviceId, service: changed }
      },
    )

    app.post(
      `/admin/wallets/:address/${how}`,
      {
        ...contract(
          {
            id: `${how}Wallet`,
            summary: `${verb} a wallet`,
            description: wallet,
            ...about,
            errors: how === 'suspend' ? ['INVALID_ADDRESS'] : ['INVALID_ADDRESS', 'NOT_FOUND'],
            answer: walletActAnswer,
          },
          { params: walletPathIn, body: actIn },
        ),
        onRequest,
      },
      async request => {
        const by = { actor: ownerOf(request).wallet, reason: request.body?.reason ?? null }
        const address = walletOf(request.params.address)
        const changed = await setWalletSuspension(forRequest(deps, request), how, { ...by, wallet: address })
        return { status: 'success', walletAddress: changed.walletAddress, wallet: changed }
      },
    )
  }
}

/** @throws GatewayError INVALID_ADDRESS */
function walletOf(text: string): WalletAddress {
  const wallet = parseWallet(text)
  if (wallet === null) throw new GatewayError('INVALID_ADDRESS')
  return wallet
}
