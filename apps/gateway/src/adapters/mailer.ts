import { createTransport } from 'nodemailer'
import type { Mailer } from '../ports.ts'

/** To reach the server, name resolution included. */
const CONNECT_TIMEOUT_MS = 10_000
/** For its first words. */
const GREETING_TIMEOUT_MS = 10_000
/** Longest silence after that. */
const SILENCE_TIMEOUT_MS = 20_000

/** Where in the conversation a refusal is about this one mail rather than about us. */
const ABOUT_THE_MAIL: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE'])
const PERMANENT = 500

/**
 * Hands mails to an SMTP server, one connection each: mails are few. STARTTLS is used when the server has it, and
 * must be with `?requireTLS=true` in the URL.
 *
 * @param options.url  `smtp:` or `smtps:`, with user and password where the server wants them
 * @param options.from sender of every mail
 */
export function createMailer(options: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url: options.url,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Nothing in a mail may make this process read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = /@([^>]+)>?$/.exec(options.from)?.[1] ?? 'localhost'

  return {
    async send({ to, subject, text, html, id }, signal) {
      try {
        await transport.sendMail({
          from: options.from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          signal,
          messageId: `<${id}@${domain}>`,
          // RFC 3834: no answering machine shall answer.
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        return true
      } catch (error) {
        const { code, responseCode } = readFailure(error)
        if (ABOUT_THE_MAIL.has(code) && responseCode >= PERMANENT) return false
        // Not the error itself: its text repeats the server's, which names the address.
        throw new Error(
          `The mail server did not take a mail: ${code}${responseCode ? ` ${responseCode}` : ''}.`,
        )
      }
    },
  }
}

function readFailure(error: unknown): { code: string; responseCode: number } {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return {
    code: typeof code === 'string' ? code : 'unknown',
    responseCode: typeof responseCode === 'number' ? responseCode : 0,
  }
}
