import type { AnswerOf } from '@farebox/client'
import { api, queryClient } from '../../api.ts'
import { consoleConfig } from '../../console-config.ts'
import { describeError } from '../../ui/feedback/states.tsx'
import { Address, shorten } from '../../ui/values/address.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { wallet } from '../../wallet/use-wallet.ts'
import { type Check, holdsIf } from './check.ts'
import { formatMicros, micros, NoProofError } from './merkle.ts'

export type Tree = NonNullable<AnswerOf<'readReserves'>['tree']>
/** The checked reserves. Without a tree there is nothing to check yet. */
export type ReservesChecked = {
  readonly reserves: AnswerOf<'readReserves'>
  readonly tree: Tree | null
  readonly checks: readonly Check[]
}

const balanceOf = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const

/** Reads the published reserves and compares the sums with each other and the vault with the chain. */
export async function checkReserves(signal: AbortSignal): Promise<ReservesChecked> {
  const reserves = await api.readReserves({ signal })
  const { tree } = reserves
  return { reserves, tree, checks: tree === null ? [] : await checkTree(reserves.merkleRoot, tree) }
}

/** Returns the checks of published reserves. */
export async function checkTree(publishedRoot: string | null, tree: Tree): Promise<readonly Check[]> {
  return [checkSums(tree), checkRoot(publishedRoot, tree), ...(await checkVault(tree))]
}

function checkSums({ walletsUsdc, consumerUsdc, providerUsdc, wallets }: Tree): Check {
  const title = 'The liabilities add up'
  try {
    const isTrue = micros(consumerUsdc) + micros(providerUsdc) === micros(walletsUsdc)
    return {
      title,
      outcome: holdsIf(isTrue),
      detail: (
        <>
          <Amount usdc={consumerUsdc} /> to consumers and <Amount usdc={providerUsdc} /> to providers{' '}
          {isTrue ? 'make' : 'do not make'} the <Amount usdc={walletsUsdc} /> owed to {formatCount(wallets)}{' '}
          {wallets === 1 ? 'wallet' : 'wallets'}.
        </>
      ),
    }
  } catch (error) {
    return failed(title, error)
  }
}

function checkRoot(reported: string | null, { merkleRoot }: Tree): Check {
  const isTrue = reported === merkleRoot
  return {
    title: 'The root is the published one',
    outcome: holdsIf(isTrue),
    detail: isTrue ? (
      <span title={merkleRoot}>
        The published root is <code className="font-mono">{shorten(merkleRoot, 10, 8)}</code>. Compare it with
        the root that others see.
      </span>
    ) : (
      'The root of the tree differs from the root that the gateway publishes.'
    ),
  }
}

/** Reads the vault's balance at the block of the tree from the console's own node. */
async function checkVault(tree: Tree): Promise<Check[]> {
  const title = 'The chain confirms the vault’s balance'
  const { blockNumber, vaultBalanceUsdc } = tree
  if (blockNumber === null || vaultBalanceUsdc === null)
    return [
      {
        title,
        outcome: 'open',
        detail: 'The gateway could not reach the chain when it built the tree. Check again in a minute.',
      },
    ]
  try {
    const { usdc, vault, rpcUrl } = await queryClient.ensureQueryData(consoleConfig)
    const held = await wallet.read({
      address: usdc,
      abi: balanceOf,
      functionName: 'balanceOf',
      args: [vault],
      blockNumber: BigInt(blockNumber),
    })
    const isSame = held === micros(vaultBalanceUsdc)
    const demanded = micros(tree.walletsUsdc) - micros(tree.lockedUsdc)
    return [
      {
        title,
        outcome: holdsIf(isSame),
        detail: (
          <>
            At block {formatCount(blockNumber)} the vault <Address value={vault} /> held{' '}
            <Amount usdc={formatMicros(held)} />
            {isSame ? (
              '.'
            ) : (
              <>
                , and not <Amount usdc={vaultBalanceUsdc} />.
              </>
            )}{' '}
            Read from {new URL(rpcUrl).host}, the node named by the gateway, or else from your wallet's node.
          </>
        ),
      },
      {
        title: 'The vault covers the liabilities',
        outcome: holdsIf(held >= demanded),
        detail:
          held >= demanded ? (
            <>
              <Amount usdc={formatMicros(held)} /> for <Amount usdc={tree.walletsUsdc} />
              {micros(tree.lockedUsdc) > 0n && (
                <>
                  , of which open tickets may already have paid out <Amount usdc={tree.lockedUsdc} />
                </>
              )}
              .
            </>
          ) : (
            <>
              <Amount usdc={formatMicros(demanded - held)} /> is missing.
            </>
          ),
      },
    ]
  } catch (error) {
    if (error instanceof NoProofError) return [failed(title, error)]
    return [{ title, outcome: 'open', detail: describeError(error) }]
  }
}

/** Returns a failed step for invalid proof data; rethrows other errors. */
export function failed(title: string, error: unknown): Check {
  if (!(error instanceof NoProofError)) throw error
  return { title, outcome: 'fails', detail: error.message }
}
