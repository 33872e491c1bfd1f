/** Module of the page of audit events. */
import './lib/time-fields';
