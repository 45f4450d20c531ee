import type { Mail } from '../../ports.ts'

/** What a verification mail says. Nothing in it was chosen by who asked for it, but the wallet that they have. */
type MailFacts = {
  readonly code: string
  /** Checksummed. */
  readonly wallet: string
  /** Host of the gateway, with its port where that is not the usual one. */
  readonly gateway: string
  readonly expiresAt: Date
}

/** Writes the mail that brings a code: as text, and as a page that mail programs of every age show alike. */
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
    `It confirms this address for the wallet`,
    `${wallet}`,
    `at ${gateway}, once, until ${until} UTC.`,
    '',
    'If you did not ask for it, do nothing: without the code this',
    'address is not bound to anything. Give the code to nobody;',
    'Farebox never asks for it by mail or phone.',
    '',
    '-- ',
    'Farebox, a gateway for paid APIs',
    '',
  ].join('\n')
}

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace"

// Colours all hold a letter, so that no six digits but the code stand in the page.
const COLOUR = {
  page: '#f4f5f7',
  card: '#ffffff',
  ink: '#16202c',
  soft: '#5b6776',
  rule: '#e3e6ea',
  code: '#eef4ff',
  edge: '#c9dcff',
}

/** Tables and styles on each element: some mail programs know no others. */
function page(facts: MailFacts, until: string): string {
  const gateway = escapeHtml(facts.gateway)
  const paragraph = (style: string, content: string) =>
    `<p style="margin:0;font-family:${FONT};${style}">${content}</p>`
  const row = (padding: string, content: string) => `<tr><td style="padding:${padding}">${content}</td></tr>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>Confirm your email</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #0f151d !important }
  .card { background: #18212c !important; border-color: #2b3745 !important }
  .ink { color: #f2f5f8 !important }
  .soft { color: #a3afbd !important }
  .code { background: #1c2b45 !important; border-color: #35507e !important }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${COLOUR.page}">
<div style="display:none;max-height:0;overflow:hidden">It works once, until ${until} UTC.</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${COLOUR.page}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" class="card" width="480" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:480px;background:${COLOUR.card};border:1px solid ${COLOUR.rule};border-radius:12px">
${row('28px 32px 0', paragraph(`font-size:15px;font-weight:700;letter-spacing:.02em;color:${COLOUR.ink}`, '<span class="ink">Farebox</span>'))}
${row('20px 32px 0', `<h1 class="ink" style="margin:0;font-family:${FONT};font-size:22px;line-height:28px;font-weight:600;color:${COLOUR.ink}">Confirm your email</h1>`)}
${row('8px 32px 0', paragraph(`font-size:15px;line-height:22px;color:${COLOUR.soft}`, `<span class="soft">Enter this code at ${gateway}:</span>`))}
${row('20px 32px 0', `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="code ink" align="center" style="padding:18px 12px;background:${COLOUR.code};border:1px solid ${COLOUR.edge};border-radius:8px;font-family:${MONO};font-size:34px;line-height:40px;font-weight:600;letter-spacing:.22em;text-indent:.22em;color:${COLOUR.ink}">${facts.code}</td></tr></table>`)}
${row('12px 32px 0', paragraph(`font-size:14px;line-height:20px;text-align:center;color:${COLOUR.soft}`, `<span class="soft">It works once, until ${until} UTC.</span>`))}
${row('24px 32px 0', paragraph(`font-size:14px;line-height:20px;color:${COLOUR.soft}`, `<span class="soft">It binds this address to the wallet</span>`))}
${row('4px 32px 0', `<p class="ink" style="margin:0;font-family:${MONO};font-size:13px;line-height:20px;color:${COLOUR.ink};word-break:break-all">${facts.wallet}</p>`)}
${row('20px 32px 28px', `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td style="border-top:1px solid ${COLOUR.rule};padding-top:16px">${paragraph(`font-size:13px;line-height:19px;color:${COLOUR.soft}`, '<span class="soft">If you did not ask for it, do nothing: without the code this address is not bound to anything. Give the code to nobody; Farebox never asks for it by mail or phone.</span>')}</td></tr></table>`)}
</table>
</td></tr>
</table>
</body>
</html>
`
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
