import { escapeHtml } from '../../http/escape-html.ts'
import type { Mail } from '../../ports.ts'
import {
  aboutWallet,
  brand,
  footer,
  heading,
  mailPage,
  paragraph,
  row,
  SIGNATURE,
  SMALL,
} from '../profiles/mail-layout.ts'
import type { MailedAlert } from './mail-store.ts'

/** Maximum length of a subject, without its suffix, in UTF-16 code units. */
const SUBJECT_LENGTH_MAX = 120
/** Lengths of a time to the minute. */
const MINUTE_LENGTH = 'YYYY-MM-DDTHH:MM'.length

/** Contents of a mail of alerts. Names of credentials are the owner's own. */
type MailFacts = {
  /** At least one, oldest first. */
  readonly alerts: readonly MailedAlert[]
  /** Checksummed. */
  readonly wallet: string
  /** URL of the gateway, without a trailing slash. */
  readonly gatewayUrl: string
}

/** Returns the mail of some alerts, as text and as HTML that works in old mail clients. */
export function alertMail(facts: MailFacts): Pick<Mail, 'subject' | 'text' | 'html'> {
  const lines = facts.alerts.map(alert => ({
    title: titleOf(alert),
    detail: detailOf(alert),
    at: timeOf(alert),
  }))
  const [first] = lines
  const more = lines.length > 1 ? ` and ${lines.length - 1} more` : ''
  return {
    // Mail servers split headers at line breaks.
    subject: `Farebox: ${(first?.title ?? '').replace(/\s+/g, ' ').slice(0, SUBJECT_LENGTH_MAX)}${more}`,
    text: plainText(facts, lines),
    html: page(facts, lines),
  }
}

type Line = { readonly title: string; readonly detail: string; readonly at: string }

const timeOf = ({ firedAt }: MailedAlert): string =>
  `${firedAt.toISOString().slice(0, MINUTE_LENGTH).replace('T', ' ')} UTC`

function titleOf(alert: MailedAlert): string {
  const name = alert.credentialName ?? 'A credential'
  const { type, data } = alert
  if (type === 'balance.low') return 'Your balance is low'
  if (type === 'failure_rate.high') return 'Many calls are failing'
  const { percent, limit } = data as BudgetData
  const budget = limit === 'credential_calls' ? 'calls' : 'credit'
  if (isTooLittle(data as BudgetData)) return `${name} has too little credit for a call`
  return percent === 100 ? `${name} has no ${budget} left` : `${name} has used ${percent}% of its ${budget}`
}

/** Returns true if a call was refused that needs more credit than is left. */
const isTooLittle = ({ limit, percent, spentUsdc, creditLimit }: BudgetData): boolean =>
  limit === 'credential_credit' && percent === 100 && Number(spentUsdc) < Number(creditLimit)

type BudgetData = Extract<MailedAlert['data'], { credentialId: string }>
type BalanceData = Extract<MailedAlert['data'], { balanceUsdc: string }>
type RateData = Extract<MailedAlert['data'], { failures: number }>

function detailOf({ type, data }: MailedAlert): string {
  if (type === 'balance.low') {
    const { balanceUsdc, thresholdUsdc } = data as BalanceData
    return `Your balance is ${balanceUsdc} USDC, below your threshold of ${thresholdUsdc} USDC. Calls are refused once it is used up.`
  }
  if (type === 'failure_rate.high') {
    const { calls, failures, percent } = data as RateData
    return `${failures} of ${calls} calls in the last hour failed, more than ${percent}%. Failed calls cost nothing.`
  }
  const { limit, callsUsed, maxCalls, spentUsdc, creditLimit, resetInterval } = data as BudgetData
  if (limit === 'credential_calls') return `${callsUsed} of ${maxCalls} calls have been used.`
  const interval = resetInterval === 'never' ? '' : ` (${resetInterval} limit)`
  return `${spentUsdc} of ${creditLimit} USDC spent${interval}. Calls that need more than the remainder are refused.`
}

const HINT = 'You receive this email because you turned on alerts. Change your alerts at'

function plainText({ wallet, gatewayUrl }: MailFacts, lines: readonly Line[]): string {
  return [
    ...lines.flatMap(({ title, detail, at }) => [title, detail, at, '']),
    `Wallet: ${wallet}`,
    '',
    `${HINT} ${gatewayUrl}/app/alerts`,
    '',
    ...SIGNATURE,
  ].join('\n')
}

function page({ wallet, gatewayUrl }: MailFacts, lines: readonly Line[]): string {
  const url = escapeHtml(`${gatewayUrl}/app/alerts`)
  return mailPage({
    title: 'Alerts',
    preview: escapeHtml(lines[0]?.detail ?? ''),
    rows: [
      brand,
      ...lines.flatMap(({ title, detail, at }) => [
        row('20px 32px 0', heading(escapeHtml(title))),
        row('8px 32px 0', paragraph('soft', 'font-size:15px;line-height:22px', escapeHtml(detail))),
        row('4px 32px 0', paragraph('soft', SMALL, at)),
      ]),
      ...aboutWallet('It is about the wallet', wallet),
      row('20px 32px 28px', footer(`${HINT} <a class="ink" href="${url}">${url}</a>.`)),
    ],
  })
}
