import { formatUsdc, usdc } from '@farebox/money'
import { inclusionAnswer, inclusionIn, listSealsIn, reserves, sealsPage } from '@farebox/wire/balance'
import type { FastifyReply } from 'fastify'
import { getAddress } from 'viem'
import type { App } from '../../../app.ts'
import { limitPublic } from '../../../http/limits/shared-rate-limit.ts'
import { contract } from '../../../http/openapi/contract.ts'
import type { Deps } from '../../../ports.ts'
import { ownerGuard, ownerOf } from '../../auth/require-owner.ts'
import * as examples from '../examples.ts'
import { listSeals } from './list-seals.ts'
import { bytesOf, hexOf } from './merkle-rules.ts'
import { readInclusion } from './read-inclusion.ts'
import { createReservesReader } from './read-reserves.ts'

/** All that ask for the reserves within this time get the same look, in ms. */
const RESERVES_MAX_AGE_MS = 1_000
/** How long public answers may be taken again without asking, in seconds: seals come every ten. */
const RESERVES_MAX_AGE_SECONDS = RESERVES_MAX_AGE_MS / 1_000
const SEALS_MAX_AGE_SECONDS = 5
const WINDOW_SECONDS = 60

/** Routes of proof, below `/api/v1`: public, so that anybody can check, but for what a wallet is owed. */
export function proofRoutes(app: App, deps: Deps): void {
  publicRoutes(app, deps)
  inclusionRoute(app, deps)
}

function publicRoutes(app: App, deps: Deps): void {
  const readReserves = createReservesReader(deps, RESERVES_MAX_AGE_MS)

  app.get(
    '/proof/reserves',
    {
      ...contract({
        id: 'readReserves',
        summary: 'Compare what the vault holds with what is owed',
        description:
          'The vault on the chain, now, against the books. `consistent` is the outcome of the newest check of every invariant of the books. `tree` is of a moment some seconds ago: what was owed to whom then, with the root that every wallet can find its own balance under, and what the vault held. docs/proof.md says how to verify it.',
        tag: 'Proof',
        access: 'public',
        errors: ['RATE_LIMITED'],
        answer: reserves,
        example: examples.reserves,
      }),
      onRequest: limitOf(deps, 'reserves'),
    },
    async (_request, reply) => {
      const answer = await readReserves()
      keepFor(reply, RESERVES_MAX_AGE_SECONDS)
      return answer
    },
  )

  app.get(
    '/proof/seals',
    {
      ...contract(
        {
          id: 'listSeals',
          summary: 'List the seals over the ledger',
          description:
            'Newest first. Every entry is sealed some seconds after it was made; each seal contains the hash of the one before. Keep the newest one: with it an exported ledger can be checked for changes of all that came before (docs/proof.md).',
          tag: 'Proof',
          access: 'public',
          errors: ['RATE_LIMITED'],
          answer: sealsPage,
          example: examples.seals,
        },
        { querystring: listSealsIn },
      ),
      onRequest: limitOf(deps, 'seals'),
    },
    async (request, reply) => {
      const { limit: most, cursor } = request.query
      const { items, nextCursor } = await listSeals(deps.db, { limit: most, cursor })
      keepFor(reply, SEALS_MAX_AGE_SECONDS)
      return { status: 'success', seals: items, nextCursor }
    },
  )
}

function inclusionRoute(app: App, deps: Deps): void {
  app.get(
    '/proof/inclusion',
    {
      ...contract(
        {
          id: 'readInclusion',
          summary: 'Prove that what I am owed is in what is told to be owed',
          description:
            'The leaf of the wallet, and the nodes beside the way from it to `merkleRoot`. A wallet that has an account without money has a leaf of zero; one without an account has none (404). A tree can be asked until ten minutes after it was true last.',
          tag: 'Proof',
          access: 'wallet',
          errors: ['NOT_FOUND', 'RATE_LIMITED'],
          answer: inclusionAnswer,
          example: examples.inclusion,
        },
        { querystring: inclusionIn },
      ),
      onRequest: [limitOf(deps, 'inclusion'), ownerGuard(deps)],
    },
    async request => {
      const { merkleRoot } = request.query
      const found = await readInclusion(deps.db, {
        wallet: ownerOf(request).wallet,
        root: merkleRoot === undefined ? null : bytesOf(merkleRoot),
      })
      return presentInclusion(found)
    },
  )
}

function presentInclusion(found: Awaited<ReturnType<typeof readInclusion>>) {
  return {
    status: 'success',
    walletAddress: getAddress(found.wallet),
    balanceUsdc: formatUsdc(found.balance),
    salt: hexOf(found.salt),
    leafHash: hexOf(found.leaf),
    branch: found.branch.map(({ hash, sum, side }) => ({
      hash: hexOf(hash),
      sumUsdc: formatUsdc(usdc(sum)),
      side,
    })),
    merkleRoot: hexOf(found.root),
    walletsUsdc: formatUsdc(found.owed),
    asOf: found.asOf.toISOString(),
  } as const
}

/** Limits a route per client, over all gateways. */
function limitOf(deps: Deps, name: string) {
  return limitPublic(deps, { name, quota: deps.config.SEARCHES_PER_MINUTE, windowSeconds: WINDOW_SECONDS })
}

function keepFor(reply: FastifyReply, seconds: number): void {
  reply.header('cache-control', `public, max-age=${seconds}`)
}
