import { isoTime, success, textOut } from '@farebox/wire/common'
import { z } from 'zod'
import type { App } from '../app.ts'
import { contract } from '../http/openapi/contract.ts'
import type { MailSink } from './mail-sink.ts'

/** Maximum length of an SMTP address: 64 characters, an @, 255 more. */
const ADDRESS_LENGTH_MAX = 320
const MAILS_SHOWN_MAX = 100
/** More than any mail that the sink accepts. */
const TEXT_LENGTH_MAX = 1_000_000

const address = textOut(ADDRESS_LENGTH_MAX)

const mailOut = z.object({
  id: textOut(TEXT_LENGTH_MAX),
  from: address,
  to: z.array(address).max(MAILS_SHOWN_MAX),
  subject: textOut(TEXT_LENGTH_MAX),
  text: textOut(TEXT_LENGTH_MAX),
  html: textOut(TEXT_LENGTH_MAX),
  receivedAt: isoTime,
})
const mailboxAnswer = z.object({ status: success, mails: z.array(mailOut).max(MAILS_SHOWN_MAX) })

/** `GET /dev/mailbox?to=`: mails sent by the gateway, newest first, for development only. */
export function mailboxRoute(app: App, sink: Pick<MailSink, 'mails'>): void {
  app.get(
    '/dev/mailbox',
    contract(
      {
        id: 'readDevelopmentMailbox',
        summary: 'Read mails that the gateway has sent',
        description: 'Development mode only. Newest first; the newest 500 are stored, up to 100 returned.',
        tag: 'Development',
        access: 'public',
        answer: mailboxAnswer,
      },
      {
        querystring: z.object({
          to: z.string().max(ADDRESS_LENGTH_MAX).optional().meta({
            description: 'Only mails to this address, case-insensitive.',
            example: 'ada@example.com',
          }),
        }),
      },
    ),
    async ({ query: { to } }) => {
      const mails = sink.mails(to === '' ? undefined : to).slice(0, MAILS_SHOWN_MAX)
      return { status: 'success' as const, mails: mails.map(mail => ({ ...mail, to: [...mail.to] })) }
    },
  )
}
