import type { SupportCategory } from '@farebox/wire/forum'
import type { Deps, Tx } from '../../ports.ts'
import { shorten } from './rules.ts'
import { insertTopic } from './store.ts'
import { insertTask } from './support-store.ts'

const TITLE_LENGTH_MAX = 120

/**
 * Opens a support task: a topic on the support board, where admins discuss it, and the task itself.
 *
 * @param tx the transaction that stores the subject of the task
 * @param input.message without secrets; stored unchanged
 * @param input.report  further details, without secrets
 * @param input.wallet  of the sender, or null
 * @returns id of the task
 */
export async function openSupportTask(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  input: {
    category: SupportCategory
    message: string
    report: Readonly<Record<string, unknown>>
    wallet: string | null
  },
): Promise<string> {
  const { category, message, report, wallet } = input
  const [topicId, taskId] = [deps.ids.next('top'), deps.ids.next('task')]
  const firstLine = message.trim().split(/[\r\n]/, 1)[0] ?? ''
  const title = shorten(`${category}: ${firstLine}`, TITLE_LENGTH_MAX)
  await insertTopic(tx, { id: topicId, category: 'support', title, body: message, author: wallet })
  await insertTask(tx, { id: taskId, topicId, category, report })
  return taskId
}
