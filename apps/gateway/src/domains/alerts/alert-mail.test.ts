import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { alertMail } from './alert-mail.ts'
import type { MailedAlert } from './mail-store.ts'

const wallet = getAddress(`0x${'a'.repeat(40)}`)
const stored = {
  owner: wallet.toLowerCase(),
  id: 'alrt_1',
  mailId: 'aml_1',
  firedAt: new Date('2026-11-21T09:41:07.123Z'),
  credentialName: null,
}
const low: MailedAlert = {
  ...stored,
  type: 'balance.low',
  data: {
    balanceUsdc: '0.990000',
    availableUsdc: '0.980000',
    heldUsdc: '0.010000',
    thresholdUsdc: '1.000000',
  },
}
const failing: MailedAlert = {
  ...stored,
  type: 'failure_rate.high',
  data: { calls: 60, failures: 14, percent: 20, minCalls: 50 },
}
type BudgetData = Extract<MailedAlert['data'], { credentialId: string }>
const budget = (credentialName: string | null, percent: 80 | 100): MailedAlert => ({
  ...stored,
  credentialName,
  type: 'budget.reached',
  data: {
    credentialId: 'cred_1',
    limit: 'credential_calls',
    percent,
    callsUsed: 8,
    maxCalls: 10,
    spentUsdc: '0.000000',
    creditLimit: null,
    resetInterval: 'never',
    intervalStart: '2026-11-21T00:00:00.000Z',
  },
})
const refused: MailedAlert = {
  ...stored,
  credentialName: 'Crawler',
  type: 'budget.reached',
  data: {
    ...(budget(null, 100).data as BudgetData),
    limit: 'credential_credit',
    spentUsdc: '0.010000',
    creditLimit: '0.015000',
  },
}
const mailOf = (...alerts: MailedAlert[]) =>
  alertMail({ alerts, wallet, gatewayUrl: 'https://gateway.example' })

test.each([
  [
    'a low balance',
    low,
    'Your balance is low',
    'Your balance is 0.990000 USDC, below your threshold of 1.000000 USDC',
  ],
  [
    'failing calls',
    failing,
    'Many calls are failing',
    '14 of 60 calls in the last hour failed, more than 20%.',
  ],
  ['a budget', budget('Crawler', 80), 'Crawler has used 80% of its calls', '8 of 10 calls have been used.'],
  ['a refused call', refused, 'Crawler has too little credit for a call', '0.010000 of 0.015000 USDC spent.'],
  [
    'a deleted credential',
    budget(null, 100),
    'A credential has no calls left',
    '8 of 10 calls have been used.',
  ],
])('a mail of %s names its subject, its time and where to change it', (_, alert, title, detail) => {
  const { subject, text, html } = mailOf(alert)
  expect(subject).toBe(`Farebox: ${title}`)
  for (const part of [text, html]) {
    for (const expected of [
      title,
      detail,
      '2026-11-21 09:41 UTC',
      wallet,
      'https://gateway.example/app/alerts',
    ])
      expect(part).toContain(expected)
  }
})

test('a mail of several alerts lists them all, with their number in the subject', () => {
  const { subject, text } = mailOf(low, failing, budget('Crawler', 80))
  expect(subject).toBe('Farebox: Your balance is low and 2 more')
  expect(text).toContain('Crawler has used 80% of its calls')
})

test('a name injects no header and no markup, and the subject stays short', () => {
  const { subject, html } = mailOf(budget(`<b>a\r\nBcc: x@example.com${'n'.repeat(500)}`, 80))
  expect(subject).not.toMatch(/[\r\n]/)
  expect(subject.length).toBeLessThan(150)
  expect(html).not.toContain('<b>')
  expect(html).toContain('&lt;b&gt;a')
})
