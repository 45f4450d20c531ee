import {
  closeSupportTaskIn,
  exampleSupportTask,
  listSupportTasksIn,
  supportTaskAnswer,
  supportTaskPathIn,
  supportTasksPage,
} from '@farebox/wire/forum'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { ownerOf } from '../auth/require-owner.ts'
import { closeSupportTask } from '../forum/close-support-task.ts'
import { listSupportTasks } from '../forum/list-support-tasks.ts'
import { readSupportTask } from '../forum/read-support-task.ts'
import { recordAct } from './record-act.ts'

type SupportDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'config'>
type Guard = ReturnType<typeof adminGuard>

/** Registers the routes of support tasks below `/api/v1`. */
export function supportRoutes(app: App, deps: SupportDeps): void {
  const onRequest = adminGuard(deps)
  read(app, deps, onRequest)
  close(app, deps, onRequest)
}

function read(app: App, deps: SupportDeps, onRequest: Guard): void {
  app.get(
    '/admin/support-tasks',
    {
      ...contract(
        {
          id: 'listSupportTasks',
          summary: 'List support tasks',
          description: 'Each belongs to a topic on the board `support`, which has its replies.',
          tag: 'Admin',
          access: 'admin',
          answer: supportTasksPage,
          example: { status: 'success', tasks: [exampleSupportTask], nextCursor: null },
        },
        { querystring: listSupportTasksIn },
      ),
      onRequest,
    },
    async request => {
      const { status, order, limit, cursor } = request.query
      const { items, nextCursor } = await listSupportTasks(deps.db, { status, order, limit, cursor })
      return { status: 'success', tasks: [...items], nextCursor }
    },
  )

  app.get(
    '/admin/support-tasks/:taskId',
    {
      ...contract(
        {
          id: 'readSupportTask',
          summary: 'Read a support task',
          description: 'Its topic has the replies.',
          tag: 'Admin',
          access: 'admin',
          errors: ['SUPPORT_TASK_NOT_FOUND'],
          answer: supportTaskAnswer,
          example: { status: 'success', task: exampleSupportTask },
        },
        { params: supportTaskPathIn },
      ),
      onRequest,
    },
    async request => ({ status: 'success', task: await readSupportTask(deps.db, request.params.taskId) }),
  )
}

function close(app: App, deps: SupportDeps, onRequest: Guard): void {
  app.post(
    '/admin/support-tasks/:taskId/close',
    {
      ...contract(
        {
          id: 'closeSupportTask',
          summary: 'Close a support task',
          description:
            'Locks its topic. A task that is already closed keeps its note and is returned unchanged.',
          tag: 'Admin',
          access: 'admin',
          errors: ['SUPPORT_TASK_NOT_FOUND'],
          answer: supportTaskAnswer,
          example: {
            status: 'success',
            task: {
              ...exampleSupportTask,
              status: 'closed',
              note: 'Refunded by voucher.',
              closedBy: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
              closedAt: '2026-11-21T10:00:00.000Z',
            },
          },
          exampleBody: { note: 'Refunded by voucher.' },
        },
        { params: supportTaskPathIn, body: closeSupportTaskIn },
      ),
      onRequest,
    },
    async request => {
      const { wallet: actor } = ownerOf(request)
      const { taskId } = request.params
      const { note } = request.body
      const task = await closeSupportTask(deps, { taskId, note, closedBy: actor }, (tx, change) =>
        recordAct(deps, tx, { actor, action: 'support-task.close', target: taskId, ...change, reason: note }),
      )
      return { status: 'success', task }
    },
  )
}
