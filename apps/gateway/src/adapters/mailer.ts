import { createTransport } from 'nodemailer'
import type { Mailer } from '../ports.ts'

/** Timeout for the connection, name resolution included. */
const CONNECT_TIMEOUT_MS = 10_000
const GREETING_TIMEOUT_MS = 10_000
/** Timeout for later answers. */
const SILENCE_TIMEOUT_MS = 20_000

/** Stages of the conversation in which a refusal is about the mail rather than about us. */
const ABOUT_THE_MAIL: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE'])
const PERMANENT = 500

/**
 * Sends mails by an SMTP server, one connection each: mails are few. Uses STARTTLS if the server offers it;
 * `?requireTLS=true` in the URL requires it.
 *
 * @param options.url  `smtp:` or `smtps:`, with user and password if needed
 * @param options.from sender of every mail
 */
export function createMailer(options: { url: string; from: string }): Mailer {
  const transport = openTransport(options.url)
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
          // RFC 3834: auto-responders must not reply.
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        return true
      } catch (error) {
        const { code, responseCode } = readFailure(error)
        if (ABOUT_THE_MAIL.has(code) && responseCode >= PERMANENT) return false
        // Not the error itself: its text repeats the server's, which names the address.
        throw new Error(
          `The mail server did not accept a mail: ${code}${responseCode ? ` ${responseCode}` : ''}.`,
        )
      }
    },
  }
}

/**
 * Connects to a mail server and authenticates, without sending anything.
 *
 * @returns null if it accepts us, else a code without names or addresses, such as `EAUTH 535`
 */
export async function verifyMailServer(url: string): Promise<string | null> {
  const transport = openTransport(url)
  try {
    await transport.verify()
    return null
  } catch (error) {
    const { code, responseCode } = readFailure(error)
    return responseCode === 0 ? code : `${code} ${responseCode}`
  } finally {
    transport.close()
  }
}

function openTransport(url: string) {
  return createTransport({
    url,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // No content of a mail may make this process read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function readFailure(error: unknown): { code: string; responseCode: number } {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return {
    code: typeof code === 'string' ? code : 'unknown',
    responseCode: typeof responseCode === 'number' ? responseCode : 0,
  }
}
