/** Module of a webhook's page. */
import './charts';
import './live-updates';
