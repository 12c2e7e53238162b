import { html, nothing, type TemplateResult } from 'lit-html'
import { behindText } from '../../../errors/text.js'
import type { Connection } from '../../model/connection.js'

/**
 * The state of the connection to the service, why it is down, or how far behind its prices are. A screen reader announces a
 * change.
 */
export const connectionView = ({ state, reason, behindMs }: Connection): TemplateResult => html`
  <p class="connection" data-connection=${state.replace(' ', '-')} role="status">
    <span class="mark" aria-hidden="true"></span>
    <span class="words"
      ><span data-field="connection">${behindMs === undefined ? state : behindText(behindMs)}</span>
      ${reason === '' ? nothing : html`<span class="why">${reason}</span>`}</span
    >
  </p>
`
