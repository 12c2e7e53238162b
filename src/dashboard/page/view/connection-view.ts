import { html, nothing, type TemplateResult } from 'lit-html'
import type { Connection } from '../../model/connection.js'

/** The state of the connection to the service, and why it is down. A screen reader announces a change. */
export const connectionView = ({ state, reason }: Connection): TemplateResult => html`
  <p class="connection" data-connection=${state.replace(' ', '-')} role="status">
    <span class="mark" aria-hidden="true"></span>
    <span class="words"
      ><span data-field="connection">${state}</span>
      ${reason === '' ? nothing : html`<span class="why">${reason}</span>`}</span
    >
  </p>
`
