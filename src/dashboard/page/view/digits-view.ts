import { html, type TemplateResult } from 'lit-html'
import type { DigitGroups } from '../../text/price.js'

/** A number. Space between its groups is set by the style sheet, so that its text remains one number. */
export const digitsView = ({ first, second, third, fraction }: DigitGroups): TemplateResult =>
  html`${first}<span class="group">${second}</span><span class="group">${third}</span>${fraction}`
