import { hashOf, NOTHING_WRITTEN, type StoredRow, type Tables } from './tables.ts'

/** State of an owner, a credential or a call, from the events of the log alone. */
export type Account = { posted: bigint; reserved: bigint; promotional: bigint }
export type Credential = {
  callsUsed: bigint
  spent: bigint
  held: bigint
  start: number
  isActive: boolean
  maxCalls: bigint | null
  creditLimit: bigint | null
  maxCostPerCall: bigint | null
}
export type Policy = {
  day: number
  dayDrawn: bigint
  month: number
  monthDrawn: bigint
  isSuspended: boolean
  perCallLimit: bigint | null
  dailyLimit: bigint | null
  monthlyLimit: bigint | null
}
export type Call = {
  status: string
  hold: bigint
  drawnAt: number
  charge: bigint
  awaitedAt: number
  owner: string
  credential: string
}

/** Result of folding the log. */
export type Folded = {
  readonly accounts: Map<string, Account>
  readonly credentials: Map<string, Credential>
  readonly policies: Map<string, Policy>
  readonly calls: Map<string, Call>
  readonly earned: Map<string, bigint>
  readonly wrong: string[]
}

type Event = { readonly [name: string]: string } & {
  readonly id: string
  readonly owner: string
  readonly provider: string
  readonly credential: string
  readonly status: string
}
const events = (list: readonly object[] | null): readonly Event[] => (list ?? []) as readonly Event[]
const big = (value: unknown): bigint => BigInt(value as string)
const limit = (value: unknown): bigint | null => (value === null ? null : big(value))
const time = (value: unknown): number => Date.parse(value as string)
function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
const isBeyond = (cap: bigint | null, drawn: bigint): boolean => cap !== null && drawn > cap

/** Sets the initial state of a history. */
export function beginFold(tables: Tables): Folded {
  return {
    accounts: new Map(
      [...tables.accounts].map(([id, account]) => [id.slice('consumer:'.length), { ...account }]),
    ),
    credentials: new Map([...tables.credentials].map(([id, row]) => [id, credentialOf(row)])),
    policies: new Map([...tables.policies].map(([owner, row]) => [owner, policyOf(row)])),
    calls: new Map(),
    earned: new Map(),
    wrong: [],
  }
}

type Row = Readonly<Record<string, unknown>>

function credentialOf(row: Row): Credential {
  return {
    callsUsed: big(row.callsUsed),
    spent: big(row.spent),
    held: big(row.held),
    start: new Date(row.intervalStart as Date).getTime(),
    isActive: row.status === 'active',
    maxCalls: limit(row.maxCalls),
    creditLimit: limit(row.creditLimit),
    maxCostPerCall: limit(row.maxCostPerCall),
  }
}

function policyOf(row: Row): Policy {
  return {
    day: new Date(row.dayStart as Date).getTime(),
    dayDrawn: big(row.dayDrawn),
    month: new Date(row.monthStart as Date).getTime(),
    monthDrawn: big(row.monthDrawn),
    isSuspended: row.isSuspended === true,
    perCallLimit: limit(row.perCallLimit),
    dailyLimit: limit(row.dailyLimit),
    monthlyLimit: limit(row.monthlyLimit),
  }
}

/** Folds the rows of one partition, and reports contradictions. */
export function foldRows(folded: Folded, rows: readonly StoredRow[]): void {
  let previous: Buffer = NOTHING_WRITTEN
  let seq = 0
  for (const row of rows) {
    seq += 1
    const say = (text: string) => folded.wrong.push(`row ${row.seq} of partition ${row.partition}: ${text}`)
    if (row.seq !== seq) say(`is number ${seq} of its partition`)
    if (!hashOf(previous, row).equals(row.hash)) say('its hash is not that of the row before and its own')
    previous = row.hash
    if (row.read.changed !== null) foldChanged(folded, row.read.changed as Changed, say)
    else foldBatch(folded, row, say)
  }
}

/** Time for usage reports; maximum lead and age of a decision relative to its row, in ms. */
const USAGE_WINDOW_MS = 15 * 60_000
const AHEAD_MS_MAX = 201
const AGE_MS_MAX = 3_001

type Say = (text: string) => void

type Changed = { readonly table: string; readonly owner: string; readonly row: Row }

function foldChanged(folded: Folded, { table, owner, row }: Changed, say: Say): void {
  if (table === 'accounts') {
    const before = folded.accounts.get(owner)
    const now = { posted: big(row.posted), reserved: big(row.reserved), promotional: big(row.promotional) }
    if (before?.reserved !== now.reserved)
      say(`what ${owner} has reserved was ${before?.reserved}, and is ${now.reserved} after a deposit`)
    if (before === undefined || now.posted <= before.posted)
      say(`a deposit of ${owner} made ${now.posted} of ${before?.posted}`)
    folded.accounts.set(owner, now)
  } else if (table === 'credentials') {
    const id = row.id as string
    const [before, now] = [folded.credentials.get(id), credentialOf(row)]
    if (before?.callsUsed !== now.callsUsed || before.held !== now.held || before.spent !== now.spent)
      say(`the counters of ${id} were changed by hand`)
    folded.credentials.set(id, now)
  } else {
    const [before, now] = [folded.policies.get(owner), policyOf(row)]
    if (before?.dayDrawn !== now.dayDrawn || before.monthDrawn !== now.monthDrawn)
      say(`the policy of ${owner} was changed by hand`)
    folded.policies.set(owner, now)
  }
}

function foldBatch(folded: Folded, { read: row, at }: StoredRow, say: Say): void {
  const [credentials, policies, accounts] = [
    events(row.credentials),
    events(row.policies),
    events(row.accounts),
  ]
  for (const event of credentials) rollCredential(folded, event, say)
  for (const event of policies) rollPolicy(folded, event, say)
  const touched = { owners: new Set<string>(), credentials: new Set<string>() }
  const touch = (call: Call) => {
    touched.owners.add(call.owner)
    touched.credentials.add(call.credential)
  }
  for (const event of events(row.awaited)) {
    const call = folded.calls.get(event.id)
    if (call?.status !== 'PENDING') say(`${event.id} comes to wait for its usage, and is ${call?.status}`)
    else {
      call.status = 'PROCESSING'
      call.awaitedAt = time(event.at)
    }
  }
  for (const event of events(row.ended)) {
    const call = foldEnded(folded, event, { at, say })
    if (call !== null) touch(call)
  }
  for (const event of events(row.held)) touch(foldHeld(folded, event, { at, say }))
  const isSaid = (list: readonly Event[], name: string, id: string) => list.some(event => event[name] === id)
  for (const owner of touched.owners)
    if (!isSaid(accounts, 'owner', owner) || !isSaid(policies, 'owner', owner))
      say(`does not say what it left of ${owner}`)
  for (const id of touched.credentials)
    if (!isSaid(credentials, 'id', id)) say(`does not say what it left of ${id}`)
  compareLeft(folded, { credentials, policies, accounts }, say)
}

function rollCredential(folded: Folded, event: Event, say: Say): void {
  const credential = folded.credentials.get(event.id)
  if (credential === undefined) return void say(`knows a credential ${event.id}`)
  const start = time(event.interval_start)
  if (start < credential.start) say(`the interval of ${event.id} goes back`)
  if (start === credential.start) return
  credential.start = start
  credential.spent = 0n
  credential.held = 0n
}

function rollPolicy(folded: Folded, event: Event, say: Say): void {
  const policy = folded.policies.get(event.owner)
  if (policy === undefined) return void say(`knows a policy of ${event.owner}`)
  const [day, month] = [time(event.day_start), time(event.month_start)]
  if (day < policy.day || month < policy.month) say(`the day of ${event.owner} goes back`)
  if (day !== policy.day) policy.dayDrawn = 0n
  if (month !== policy.month) policy.monthDrawn = 0n
  policy.day = day
  policy.month = month
}

function foldEnded(folded: Folded, event: Event, { at, say }: { at: number; say: Say }): Call | null {
  const call = folded.calls.get(event.id)
  if (call === undefined || (call.status !== 'PENDING' && call.status !== 'PROCESSING')) {
    say(`${event.id} ends, and is ${call?.status}`)
    return null
  }
  const isPaid = event.status === 'SUCCEEDED'
  const [charge, fee, promotional] = [big(event.charge), big(event.fee), big(event.promotional)]
  if (!isPaid && charge !== 0n) say(`${event.id} is charged ${charge} and is ${event.status}`)
  if (charge < 0n || charge > call.hold || fee < 0n || fee > charge || big(event.hold) !== call.hold)
    say(`${event.id} is charged ${charge}, fee ${fee}, of a hold of ${call.hold}`)
  const isEarly = call.status === 'PROCESSING' && !isPaid && at - call.awaitedAt < USAGE_WINDOW_MS
  if (isEarly)
    say(`${event.id} is given up after ${at - call.awaitedAt} ms, and its usage might have been reported`)
  call.status = event.status
  call.charge = charge
  const [account, credential, policy] = partiesOf(folded, call)
  const deposited = account.posted - account.promotional
  const beyond = charge > deposited ? charge - deposited : 0n
  const vouchers = call.owner === event.provider ? beyond : least(charge, account.promotional)
  if (promotional !== vouchers) say(`${event.id} takes ${promotional} of vouchers, not ${vouchers}`)
  account.posted -= charge
  account.reserved -= call.hold
  account.promotional -= promotional
  if (!isPaid) credential.callsUsed -= 1n
  if (call.drawnAt >= credential.start) {
    credential.held -= call.hold
    credential.spent += charge
  }
  if (call.drawnAt >= policy.day) policy.dayDrawn -= call.hold - charge
  if (call.drawnAt >= policy.month) policy.monthDrawn -= call.hold - charge
  const earn = (id: string, amount: bigint) => folded.earned.set(id, (folded.earned.get(id) ?? 0n) + amount)
  earn(`provider:${event.provider}`, charge - fee)
  earn('fees', fee)
  return call
}

function foldHeld(folded: Folded, event: Event, { at, say }: { at: number; say: Say }): Call {
  const hold = big(event.hold)
  if (folded.calls.has(event.id)) say(`${event.id} is held twice`)
  const call: Call = {
    status: 'PENDING',
    hold,
    drawnAt: time(event.at),
    charge: 0n,
    awaitedAt: 0,
    owner: event.owner,
    credential: event.credential,
  }
  folded.calls.set(event.id, call)
  const [account, credential, policy] = partiesOf(folded, call)
  const isOfInterval =
    [credential.start, policy.day, policy.month].includes(call.drawnAt) && call.drawnAt > at
  const ageMs = at - call.drawnAt
  if ((ageMs < -AHEAD_MS_MAX || ageMs > AGE_MS_MAX) && !isOfInterval)
    say(`${event.id} was decided ${ageMs} ms before`)
  account.reserved += hold
  credential.callsUsed += 1n
  // Intervals are rolled as in the row: a later draw in the row may have begun a new one.
  if (call.drawnAt >= credential.start) credential.held += hold
  if (call.drawnAt >= policy.day) policy.dayDrawn += hold
  if (call.drawnAt >= policy.month) policy.monthDrawn += hold
  if (account.posted < account.reserved)
    say(`${call.owner} has ${account.posted} and reserves ${account.reserved}`)
  const isOwn = event.provider === event.owner
  if (isOwn && account.posted - account.promotional < account.reserved)
    say(`${call.owner} calls itself on vouchers`)
  if (!credential.isActive || policy.isSuspended)
    say(`${event.id} is held of a credential that is revoked, or a wallet that is suspended`)
  const isOver =
    isBeyond(credential.maxCalls, credential.callsUsed) ||
    isBeyond(credential.creditLimit, credential.spent + credential.held) ||
    isBeyond(credential.maxCostPerCall, hold) ||
    isBeyond(policy.perCallLimit, hold) ||
    isBeyond(policy.dailyLimit, policy.dayDrawn) ||
    isBeyond(policy.monthlyLimit, policy.monthDrawn)
  if (isOver) say(`${event.id} is held beyond a limit`)
  return call
}

function partiesOf(folded: Folded, { owner, credential }: Call): [Account, Credential, Policy] {
  const [account, limits, policy] = [
    folded.accounts.get(owner),
    folded.credentials.get(credential),
    folded.policies.get(owner),
  ]
  if (account === undefined || limits === undefined || policy === undefined)
    throw new Error(`${owner} is unknown`)
  return [account, limits, policy]
}

function compareLeft(
  folded: Folded,
  left: { credentials: readonly Event[]; policies: readonly Event[]; accounts: readonly Event[] },
  say: Say,
): void {
  for (const event of left.credentials) {
    const { callsUsed, spent, held } = folded.credentials.get(event.id) as Credential
    if (callsUsed < 0n || spent < 0n || held < 0n)
      say(`leaves ${event.id} with ${callsUsed} calls, ${spent} spent, ${held} held`)
    const isSame =
      callsUsed === big(event.calls_used) && spent === big(event.spent) && held === big(event.held)
    if (!isSame)
      say(
        `left ${event.id} with ${JSON.stringify(event)}, not with ${callsUsed} calls, ${spent} spent, ${held} held`,
      )
  }
  for (const event of left.policies) {
    const { dayDrawn, monthDrawn } = folded.policies.get(event.owner) as Policy
    if (dayDrawn < 0n || monthDrawn < 0n)
      say(`leaves the policy of ${event.owner} with ${dayDrawn} of the day, ${monthDrawn} of the month`)
    if (dayDrawn !== big(event.day_drawn) || monthDrawn !== big(event.month_drawn))
      say(
        `left the policy of ${event.owner} with ${JSON.stringify(event)}, not ${dayDrawn} of the day, ${monthDrawn} of the month`,
      )
  }
  for (const event of left.accounts) {
    const { posted, reserved, promotional } = folded.accounts.get(event.owner) as Account
    const isSame =
      posted === big(event.posted) &&
      reserved === big(event.reserved) &&
      promotional === big(event.promotional)
    if (!isSame)
      say(
        `left ${event.owner} with ${JSON.stringify(event)}, not with ${posted}, ${reserved} reserved, ${promotional} of vouchers`,
      )
  }
}
