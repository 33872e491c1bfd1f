/** The delivery log of a webhook. */
import './follow.js';
import './time-fields.js';
