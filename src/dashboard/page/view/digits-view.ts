import { html, nothing, type TemplateResult } from 'lit-html'
import type { DigitGroups } from '../../../number-format/digit-groups.js'

/** A number. Space between its groups is set by the style sheet, so that its text remains one number. */
export const digitsView = ({ whole: [first, ...groups], fraction }: DigitGroups): TemplateResult =>
  html`${first}${groups.length === 0 ? nothing : groups.map(groupView)}${fraction}`

const groupView = (digits: string): TemplateResult => html`<span class="group">${digits}</span>`
