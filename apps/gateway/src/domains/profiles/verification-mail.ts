import { escapeHtml } from '../../http/escape-html.ts'
import type { Mail } from '../../ports.ts'
import {
  aboutWallet,
  brand,
  COLOUR,
  footer,
  heading,
  inner,
  MONO,
  mailPage,
  paragraph,
  row,
  SIGNATURE,
  SMALL,
} from './mail-layout.ts'

/** Contents of a verification mail. The requester controls none of it, except for the wallet. */
type MailFacts = {
  readonly code: string
  /** Checksummed. */
  readonly wallet: string
  /** Host of the gateway, with its port unless it is the default one. */
  readonly gateway: string
  readonly expiresAt: Date
}

/** Returns the mail for a code, as text and as HTML that works in old mail clients. */
export function verificationMail(facts: MailFacts): Pick<Mail, 'subject' | 'text' | 'html'> {
  const until = facts.expiresAt.toISOString().slice(11, 16)
  return {
    subject: `${facts.code} is your Farebox code`,
    text: plainText(facts, until),
    html: page(facts, until),
  }
}

function plainText({ code, wallet, gateway }: MailFacts, until: string): string {
  return [
    'Confirm your email',
    '',
    `Your code: ${code}`,
    '',
    'It confirms this address for the wallet',
    wallet,
    `at ${gateway}, once, until ${until} UTC.`,
    '',
    'If you did not request it, ignore this email. Do not share this',
    'code with anyone. Farebox never asks for it by email or phone.',
    '',
    ...SIGNATURE,
  ].join('\n')
}

function page({ code, wallet, gateway }: MailFacts, until: string): string {
  return mailPage({
    title: 'Confirm your email',
    preview: `It works once, until ${until} UTC.`,
    rows: [
      brand,
      row('20px 32px 0', heading('Confirm your email')),
      row(
        '8px 32px 0',
        paragraph('soft', 'font-size:15px;line-height:22px', `Enter this code at ${escapeHtml(gateway)}:`),
      ),
      row('20px 32px 0', codeBox(code)),
      row(
        '12px 32px 0',
        paragraph('soft', `${SMALL};text-align:center`, `It works once, until ${until} UTC.`),
      ),
      ...aboutWallet('It links this address to the wallet', wallet),
      row('20px 32px 28px', footer(WARNING)),
    ],
  })
}

const WARNING =
  'If you did not request it, ignore this email. Do not share this code with anyone. Farebox never asks for it by email or phone.'

function codeBox(code: string): string {
  const box = `padding:18px 12px;background:${COLOUR.code};border:1px solid ${COLOUR.edge};border-radius:8px`
  const type = `font-family:${MONO};font-size:34px;line-height:40px;font-weight:600;letter-spacing:.22em;text-indent:.22em`
  return inner(`<td class="code ink" align="center" style="${box};${type};color:${COLOUR.ink}">${code}</td>`)
}
