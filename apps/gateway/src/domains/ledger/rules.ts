import { minUsdc, type Usdc, usdc, ZERO } from '@farebox/money'

/** What a withdrawal takes its money of: what its wallet has earned (also when absent), or the fees of the platform. */
export type WithdrawalSource = 'earnings' | 'fees'

/**
 * Money that a domain asks the ledger to move. Domains speak of wallets and amounts; only the ledger knows
 * accounts and entries. `reference` is the id of the record behind the movement; a kind happens once per
 * reference.
 */
export type Movement =
  /** On-chain deposit: the vault owes the wallet. */
  | { readonly kind: 'deposit'; readonly wallet: string; readonly amount: Usdc; readonly reference: string }
  /** Money that a wallet gives away in promotions: vouchers pay out nothing that was not paid in here. */
  | {
      readonly kind: 'promotion-funding'
      readonly wallet: string
      readonly amount: Usdc
      readonly reference: string
    }
  /** Promotional credit, paid out of what promotions were funded with. */
  | { readonly kind: 'voucher'; readonly wallet: string; readonly amount: Usdc; readonly reference: string }
  /** Sets money of a consumer aside for a call to a provider; promotional credit for nobody's call to itself. */
  | {
      readonly kind: 'hold'
      readonly wallet: string
      readonly provider: string
      readonly amount: Usdc
      readonly reference: string
    }
  /** Ends a hold without a charge. */
  | { readonly kind: 'release'; readonly wallet: string; readonly amount: Usdc; readonly reference: string }
  /** Ends a hold with a charge: the provider earns `charge - fee`, the platform `fee`, the rest is free again. */
  | {
      readonly kind: 'capture'
      readonly consumer: string
      readonly provider: string
      readonly hold: Usdc
      readonly charge: Usdc
      readonly fee: Usdc
      readonly reference: string
    }
  /** Sets earnings of a provider aside for a withdrawal. */
  | {
      readonly kind: 'withdrawal-lock'
      readonly wallet: string
      readonly source?: WithdrawalSource
      readonly amount: Usdc
      readonly reference: string
    }
  /** Ends a withdrawal that was not redeemed; `promotional` is what its lock took of promotional earnings. */
  | {
      readonly kind: 'withdrawal-release'
      readonly wallet: string
      readonly source?: WithdrawalSource
      readonly amount: Usdc
      readonly promotional: Usdc
      readonly reference: string
    }
  /** Ends a withdrawal that the chain has paid. */
  | {
      readonly kind: 'withdrawal-paid'
      readonly wallet: string
      readonly source?: WithdrawalSource
      readonly amount: Usdc
      readonly reference: string
    }
  /** The vault paid a ticket that no withdrawal explains: the provider is charged for it. */
  | {
      readonly kind: 'redemption-adopted'
      readonly wallet: string
      readonly amount: Usdc
      readonly reference: string
    }
  /** A reorganisation took a credited deposit away: the consumer is charged for it. */
  | {
      readonly kind: 'deposit-reversed'
      readonly wallet: string
      readonly amount: Usdc
      readonly reference: string
    }
  /** The part of either that no wallet is charged for: the platform bears it. */
  | { readonly kind: 'loss'; readonly amount: Usdc; readonly reference: string }

/** What an account holds, in micro-USDC. */
export type AccountState = {
  /** Its balance. */
  readonly posted: Usdc
  /** The part of it that is set aside. */
  readonly reserved: Usdc
  /** Of a consumer, the part of `posted` that came from vouchers; of a provider, of what it could withdraw. */
  readonly promotional: Usdc
}

/** What an account holds that nothing was posted to. */
export const EMPTY_ACCOUNT: AccountState = { posted: ZERO, reserved: ZERO, promotional: ZERO }

/** Changes of one account by one movement. */
type Change = { readonly account: string; readonly posted?: bigint; readonly reserved?: bigint }

/** Account of a wallet in the role of one who pays for calls. */
export const consumerAccount = (wallet: string): string => `consumer:${wallet}`
/** The wallet whose {@link consumerAccount} that is; null when it is another account. */
export const consumerOf = (account: string): string | null =>
  account.startsWith('consumer:') ? account.slice('consumer:'.length) : null
/** Account of a wallet in the role of one who earns by calls. */
export const providerAccount = (wallet: string): string => `provider:${wallet}`
/** Contra account: minus what the chain holds for us. */
export const VAULT = 'vault'
/** What the platform has earned by fees. */
export const FEES = 'fees'
/** What promotions were funded with and have not paid out yet. */
export const PROMOTIONS = 'promotions'
/** What the platform has lost: minus what the chain took and no wallet was charged for. */
export const LOSSES = 'losses'

/** The account that a withdrawal takes its money of. */
const withdrawnFrom = ({ wallet, source }: { wallet: string; source?: WithdrawalSource }): string =>
  source === 'fees' ? FEES : providerAccount(wallet)

/**
 * Whether an account may never be overdrawn: those of wallets, the promotions and the fees. A credit without money behind it
 * would end up with a provider, who withdraws what the vault owes to others.
 */
export const isCoveredAccount = (account: string): boolean =>
  account.includes(':') || account === PROMOTIONS || account === FEES

/** The changes a movement makes. The `posted` parts are its entries and add up to zero. */
export function changesOf(movement: Movement): readonly Change[] {
  switch (movement.kind) {
    case 'deposit':
      return [
        { account: consumerAccount(movement.wallet), posted: movement.amount },
        { account: VAULT, posted: -movement.amount },
      ]
    case 'promotion-funding':
      return [
        { account: PROMOTIONS, posted: movement.amount },
        { account: consumerAccount(movement.wallet), posted: -movement.amount },
      ]
    case 'voucher':
      return [
        { account: consumerAccount(movement.wallet), posted: movement.amount },
        { account: PROMOTIONS, posted: -movement.amount },
      ]
    case 'hold':
      return [{ account: consumerAccount(movement.wallet), reserved: movement.amount }]
    case 'release':
      return [{ account: consumerAccount(movement.wallet), reserved: -movement.amount }]
    case 'capture': {
      const { charge, fee } = movement
      return [
        { account: consumerAccount(movement.consumer), posted: -charge, reserved: -movement.hold },
        { account: providerAccount(movement.provider), posted: charge - fee },
        ...(fee > 0n ? [{ account: FEES, posted: fee as bigint }] : []),
      ]
    }
    case 'withdrawal-lock':
      return [{ account: withdrawnFrom(movement), reserved: movement.amount }]
    case 'withdrawal-release':
      return [{ account: withdrawnFrom(movement), reserved: -movement.amount }]
    case 'withdrawal-paid':
      return [
        { account: withdrawnFrom(movement), posted: -movement.amount, reserved: -movement.amount },
        { account: VAULT, posted: movement.amount },
      ]
    case 'redemption-adopted':
      return [
        { account: providerAccount(movement.wallet), posted: -movement.amount },
        { account: VAULT, posted: movement.amount },
      ]
    case 'deposit-reversed':
      return [
        { account: consumerAccount(movement.wallet), posted: -movement.amount },
        { account: VAULT, posted: movement.amount },
      ]
    case 'loss':
      return [
        { account: LOSSES, posted: -movement.amount },
        { account: VAULT, posted: movement.amount },
      ]
  }
}

/**
 * Applies a movement to the accounts it touches.
 *
 * @returns the new states, or null when the available money of a wallet, or of the promotions, does not cover it, or
 *   only promotional credit covers the call of a wallet to itself: then nothing changes
 * @throws RangeError for a movement that is wrong in itself (negative amount, more released than reserved)
 */
export function applyMovement(
  accounts: ReadonlyMap<string, AccountState>,
  movement: Movement,
): ReadonlyMap<string, AccountState> | null {
  assertSane(movement)
  const after = new Map<string, AccountState>()
  const promoted = promotionsBy(accounts, movement)
  for (const { account, posted = 0n, reserved = 0n } of changesOf(movement)) {
    const before = after.get(account) ?? accounts.get(account)
    if (before === undefined) throw new RangeError(`Account ${account} is not locked.`)
    const state = {
      posted: usdc(before.posted + posted),
      reserved: usdc(before.reserved + reserved),
      promotional: usdc(before.promotional + (promoted.get(account) ?? 0n)),
    }
    if (state.reserved < ZERO)
      throw new RangeError(`${movement.reference} releases more than ${account} has reserved.`)
    if (isCoveredAccount(account) && state.posted < state.reserved) return null
    if (isOwnCall(movement) && state.posted - state.promotional < state.reserved) return null
    after.set(account, state)
  }
  return after
}

/** Every hold may need deposited money, so a call of a wallet to itself is held beside all others that are open. */
const isOwnCall = (movement: Movement): boolean =>
  movement.kind === 'hold' && movement.wallet === movement.provider

/**
 * What of a movement's money is promotional, in micro-USDC. A consumer spends vouchers first, on anybody's services but
 * its own; a provider withdraws what was earned from deposited money first, and so is charged for what the chain paid.
 *
 * @param accounts as they are before the movement
 */
export function promotionalOf(accounts: ReadonlyMap<string, AccountState>, movement: Movement): Usdc {
  const stateOf = (account: string) => accounts.get(account) ?? EMPTY_ACCOUNT
  const beyond = (amount: Usdc, deposited: bigint) => usdc(amount - minUsdc(amount, usdc(max(deposited, 0n))))
  switch (movement.kind) {
    case 'voucher':
      return movement.amount
    case 'withdrawal-release':
      return movement.promotional
    case 'promotion-funding':
      return minUsdc(movement.amount, stateOf(consumerAccount(movement.wallet)).promotional)
    case 'capture': {
      const { consumer, provider, charge } = movement
      const { posted, promotional } = stateOf(consumerAccount(consumer))
      return consumer === provider ? beyond(charge, posted - promotional) : minUsdc(charge, promotional)
    }
    case 'deposit-reversed': {
      const { posted, reserved, promotional } = stateOf(consumerAccount(movement.wallet))
      return beyond(movement.amount, posted - reserved - promotional)
    }
    case 'withdrawal-lock':
    case 'redemption-adopted': {
      if ('source' in movement && movement.source === 'fees') return ZERO
      const { posted, reserved, promotional } = stateOf(providerAccount(movement.wallet))
      return beyond(movement.amount, posted - reserved - promotional)
    }
    default:
      return ZERO
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The part of a provider's earnings by a call that is promotional: the fee is taken of deposited money first. */
const promotionalEarnings = (charge: Usdc, fee: Usdc, promotional: Usdc): Usdc =>
  minUsdc(promotional, usdc(charge - fee))

/** How a movement changes the promotional part of accounts. */
function promotionsBy(
  accounts: ReadonlyMap<string, AccountState>,
  movement: Movement,
): ReadonlyMap<string, bigint> {
  const part = promotionalOf(accounts, movement)
  if (part === 0n) return new Map()
  switch (movement.kind) {
    case 'capture': {
      const { consumer, provider, charge, fee } = movement
      return new Map([
        [consumerAccount(consumer), -part],
        [providerAccount(provider), promotionalEarnings(charge, fee, part)],
      ])
    }
    case 'voucher':
      return new Map([[consumerAccount(movement.wallet), part]])
    case 'promotion-funding':
    case 'deposit-reversed':
      return new Map([[consumerAccount(movement.wallet), -part]])
    case 'withdrawal-lock':
    case 'redemption-adopted':
      return new Map([[providerAccount(movement.wallet), -part]])
    case 'withdrawal-release':
      return new Map([[providerAccount(movement.wallet), part]])
    default:
      return new Map()
  }
}

function assertSane(movement: Movement): void {
  const amounts =
    movement.kind === 'capture'
      ? [movement.fee, movement.charge - movement.fee, movement.hold - movement.charge]
      : [movement.amount]
  if (amounts.some(amount => amount < 0n))
    throw new RangeError(`${movement.kind} of ${movement.reference} is not sane.`)
}
