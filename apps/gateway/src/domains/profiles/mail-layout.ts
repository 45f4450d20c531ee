/** Layout of mails as HTML. */

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
export const MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace"

// Every colour contains a letter, so that the code is the only sequence of six digits.
export const COLOUR = {
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

const BARE = 'cellpadding="0" cellspacing="0" border="0"'
export const SMALL = 'font-size:13px;line-height:20px'

/**
 * Returns a page with a card of rows. Uses tables and inline styles, as some mail clients support nothing else.
 *
 * @param of.preview text that mailboxes show beside the subject
 */
export function mailPage({
  title,
  preview,
  rows,
}: {
  title: string
  preview: string
  rows: readonly string[]
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>
${DARK}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${COLOUR.page}">
<div style="display:none;max-height:0;overflow:hidden">${preview}</div>
<table role="presentation" class="page" width="100%" ${BARE} style="background:${COLOUR.page}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" class="card" width="480" ${BARE} style="width:100%;max-width:480px;background:${COLOUR.card};border:1px solid ${COLOUR.rule};border-radius:12px">
${rows.join('\n')}
</table>
</td></tr>
</table>
</body>
</html>
`
}

export function row(padding: string, content: string): string {
  return `<tr><td style="padding:${padding}">${content}</td></tr>`
}

export function paragraph(tone: 'ink' | 'soft', style: string, content: string): string {
  return `<p class="${tone}" style="margin:0;font-family:${FONT};color:${COLOUR[tone]};${style}">${content}</p>`
}

export function heading(content: string): string {
  const type = `font-family:${FONT};font-size:22px;line-height:28px;font-weight:600`
  return `<h1 class="ink" style="margin:0;${type};color:${COLOUR.ink}">${content}</h1>`
}

/** A warning or hint below a rule, at the end. */
export function footer(text: string): string {
  const line = `border-top:1px solid ${COLOUR.rule};padding-top:16px`
  return inner(`<td class="rule" style="${line}">${paragraph('soft', SMALL, text)}</td>`)
}

export function inner(cell: string): string {
  return `<table role="presentation" width="100%" ${BARE}><tr>${cell}</tr></table>`
}

/** The name of the sender, at the top. */
export const brand = row('28px 32px 0', paragraph('ink', 'font-size:15px;font-weight:700', 'Farebox'))

/** The wallet that a mail is about, below a line that introduces it. `wallet` is checksummed. */
export function aboutWallet(line: string, wallet: string): readonly string[] {
  return [
    row('24px 32px 0', paragraph('soft', SMALL, line)),
    row('4px 32px 0', paragraph('ink', `${SMALL};font-family:${MONO};word-break:break-all`, wallet)),
  ]
}

/** The end of a mail as text. */
export const SIGNATURE = ['-- ', 'Farebox, a gateway for paid APIs', '']
