import { alertSettingsAnswer, changeAlertsBody, listAlertsAnswer } from '@farebox/wire/alerts'
import { pageIn } from '@farebox/wire/common'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { changeSettings } from './change-settings.ts'
import * as examples from './examples.ts'
import { listAlerts } from './list-alerts.ts'
import { readSettings } from './read-settings.ts'

const common = { tag: 'Alerts', access: 'wallet' } as const
const success = { status: 'success' } as const

/** Registers the routes of alerts, for wallet sessions, below `/api/v1`. */
export function alertRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)
  const raw = { ...deps, db: deps.rawDb }

  app.get(
    '/alerts',
    {
      ...contract(
        {
          ...common,
          id: 'listAlerts',
          summary: 'List my alerts',
          description: 'Newest first; kept for 90 days.',
          answer: listAlertsAnswer,
          example: examples.list,
        },
        { querystring: pageIn },
      ),
      onRequest,
    },
    async request => {
      const page = await listAlerts(raw, ownerOf(request).wallet, request.query)
      return { ...success, alerts: page.items, nextCursor: page.nextCursor }
    },
  )

  app.get(
    '/alerts/settings',
    {
      ...contract({
        ...common,
        id: 'readAlertSettings',
        summary: 'Read the settings of my alerts',
        description: 'Off until they are set, or a webhook subscribes to an alert.',
        answer: alertSettingsAnswer,
        example: examples.settingsOf,
      }),
      onRequest,
    },
    async request => ({ ...success, settings: await readSettings(raw, ownerOf(request)) }),
  )

  app.patch(
    '/alerts/settings',
    {
      ...contract(
        {
          ...common,
          id: 'updateAlertSettings',
          summary: 'Change the settings of my alerts',
          description:
            'Absent members are unchanged. Each alert is sent once per crossing, within seconds. A webhook that subscribes to the type of an alert turns it on.',
          answer: alertSettingsAnswer,
          example: examples.settingsOf,
          exampleBody: examples.changeBody,
        },
        { body: changeAlertsBody },
      ),
      onRequest,
    },
    async request => ({ ...success, settings: await changeSettings(deps, ownerOf(request), request.body) }),
  )
}
