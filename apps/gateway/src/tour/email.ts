import type { Client } from '@farebox/client'
import type { LocalAccount } from 'viem/accounts'
import { mailsTo } from './api.ts'
import type { Narrator } from './narrator.ts'

/** Maximum reads of the mailbox for a mail, and the pause between two. */
const LOOKS_MAX = 100
const LOOK_PAUSE_MS = 100

/**
 * Binds an email to a wallet: a signed profile update, the mailed code, and its confirmation. Reads the mail in the
 * mailbox of development mode.
 *
 * @param on.owner the wallet's client
 * @throws Error if no mail arrives
 */
export async function verifyEmail(
  { url, narrator }: { url: string; narrator: Narrator },
  { account, owner }: { account: LocalAccount; owner: Client },
): Promise<void> {
  narrator.step('The owner takes a name, and proves an email by the code that is mailed')
  const email = `ada-${account.address.slice(2, 10).toLowerCase()}@example.com`
  const { challenge: message } = await owner.issueProfileChallenge()
  const signature = await account.signMessage({ message })
  const staged = await owner.updateProfile({ body: { message, signature, username: 'Ada', email } })
  narrator.report(
    `pending: ${staged.pendingEmail}, ${staged.emailVerificationSendsRemaining} more codes may be sent today`,
  )
  const { subject, code } = await readCode(url, email)
  narrator.report(`mailed: “${subject}”`)
  const { profile } = await owner.verifyEmailCode({ body: { email, code } })
  narrator.check(profile.emailVerified && profile.email === email, 'the email is bound to the wallet')
}

async function readCode(url: string, email: string): Promise<{ subject: string; code: string }> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const [mail] = await mailsTo(url, email)
    const code = /\b\d{6}\b/.exec(mail?.text ?? '')?.[0]
    if (mail !== undefined && code !== undefined) return { subject: mail.subject, code }
    await new Promise(done => setTimeout(done, LOOK_PAUSE_MS))
  }
  throw new Error(`No mail came to ${email}.`)
}
