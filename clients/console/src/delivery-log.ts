/** Module of the delivery log. */
import './live-updates';
import './lib/time-fields';
