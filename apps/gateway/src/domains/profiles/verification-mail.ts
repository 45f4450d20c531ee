import type { Mail } from '../../ports.ts'

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
    'If you did not request it, ignore this mail. Do not share this',
    'code with anyone; Farebox never asks for it by mail or phone.',
    '',
    '-- ',
    'Farebox, a gateway for paid APIs',
    '',
  ].join('\n')
}

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace"

// Every colour contains a letter, so that the code is the only sequence of six digits.
const COLOUR = {
  page: '#f4f5f7',
  card: '#ffffff',
  ink: '#16202c',
  soft: '#5b6776',
  rule: '#e3e6ea',
  code: '#eef4ff',
  edge: '#c9dcff',
}

const DARK = `@media (prefers-color-scheme: dark) {
  .page { background: #0f151d !important }
  .card { background: #18212c !important; border-color: #2b3745 !important }
  .ink { color: #f2f5f8 !important }
  .soft { color: #a3afbd !important }
  .rule { border-color: #2b3745 !important }
  .code { background: #1c2b45 !important; border-color: #35507e !important }
}`

/** Uses tables and inline styles, as some mail clients support nothing else. */
function page({ code, wallet, gateway }: MailFacts, until: string): string {
  const body = [
    row('28px 32px 0', paragraph('ink', 'font-size:15px;font-weight:700', 'Farebox')),
    row('20px 32px 0', heading('Confirm your email')),
    row(
      '8px 32px 0',
      paragraph('soft', 'font-size:15px;line-height:22px', `Enter this code at ${escapeHtml(gateway)}:`),
    ),
    row('20px 32px 0', codeBox(code)),
    row('12px 32px 0', paragraph('soft', `${SMALL};text-align:center`, `It works once, until ${until} UTC.`)),
    row('24px 32px 0', paragraph('soft', SMALL, 'It links this address to the wallet')),
    row('4px 32px 0', paragraph('ink', `${SMALL};font-family:${MONO};word-break:break-all`, wallet)),
    row('20px 32px 28px', footer()),
  ]
  return document(`<div style="display:none;max-height:0;overflow:hidden">It works once, until ${until} UTC.</div>
<table role="presentation" class="page" width="100%" ${BARE} style="background:${COLOUR.page}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" class="card" width="480" ${BARE} style="width:100%;max-width:480px;background:${COLOUR.card};border:1px solid ${COLOUR.rule};border-radius:12px">
${body.join('\n')}
</table>
</td></tr>
</table>`)
}

const BARE = 'cellpadding="0" cellspacing="0" border="0"'
const SMALL = 'font-size:13px;line-height:20px'

function document(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>Confirm your email</title>
<style>
${DARK}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${COLOUR.page}">
${body}
</body>
</html>
`
}

function row(padding: string, content: string): string {
  return `<tr><td style="padding:${padding}">${content}</td></tr>`
}

function paragraph(tone: 'ink' | 'soft', style: string, content: string): string {
  return `<p class="${tone}" style="margin:0;font-family:${FONT};color:${COLOUR[tone]};${style}">${content}</p>`
}

function heading(content: string): string {
  const type = `font-family:${FONT};font-size:22px;line-height:28px;font-weight:600`
  return `<h1 class="ink" style="margin:0;${type};color:${COLOUR.ink}">${content}</h1>`
}

function codeBox(code: string): string {
  const box = `padding:18px 12px;background:${COLOUR.code};border:1px solid ${COLOUR.edge};border-radius:8px`
  const type = `font-family:${MONO};font-size:34px;line-height:40px;font-weight:600;letter-spacing:.22em;text-indent:.22em`
  return inner(`<td class="code ink" align="center" style="${box};${type};color:${COLOUR.ink}">${code}</td>`)
}

function footer(): string {
  const warning =
    'If you did not request it, ignore this mail. Do not share this code with anyone; Farebox never asks for it by mail or phone.'
  const line = `border-top:1px solid ${COLOUR.rule};padding-top:16px`
  return inner(`<td class="rule" style="${line}">${paragraph('soft', SMALL, warning)}</td>`)
}

function inner(cell: string): string {
  return `<table role="presentation" width="100%" ${BARE}><tr>${cell}</tr></table>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '')
}
