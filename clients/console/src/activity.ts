/** Module of the page of relayed calls. */
import './live-updates';
import './lib/time-fields';
