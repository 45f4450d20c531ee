import type { Tool } from '@modelcontextprotocol/sdk/types.js'

/** Built-in tool that calls services outside the list of tools. */
export const callServiceTool = {
  name: 'farebox_call',
  title: 'Call a paid service',
  description:
    'Calls any service of Farebox by its name or id, as returned by farebox_search: for services that are not in your ' +
    'list of tools. It is the same paid call as that of a tool, with the same bill and errors.',
  inputSchema: {
    type: 'object',
    properties: {
      service: { type: 'string', maxLength: 64, description: 'Tool name or service id.' },
      arguments: {
        type: 'object',
        additionalProperties: true,
        description: 'Arguments of the service, by the schema that farebox_search returns.',
      },
      maxCostUsdc: {
        type: ['string', 'number'],
        description: 'Maximum cost of this call, in USDC, such as "0.05". Default: its price.',
      },
    },
    required: ['service'],
    additionalProperties: false,
  },
  annotations: { title: 'Call a paid service', readOnlyHint: false, openWorldHint: true },
} as const satisfies Tool
