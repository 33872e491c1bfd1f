import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/**
 * Sends requests sequentially with Java's defaults and prints a line for each: status, tab, body.
 * Arguments: "HttpURLConnection" or "HttpClient", a token, then method, URL and body of each request.
 */
class JavaClients {
  public static void main(String[] arguments) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 2; i < arguments.length; i += 3) {
      String method = arguments[i];
      URI url = URI.create(arguments[i + 1]);
      String body = arguments[i + 2];
      String line;
      try {
        line =
            arguments[0].equals("HttpClient")
                ? byHttpClient(client, arguments[1], method, url, body)
                : byUrlConnection(arguments[1], method, url, body);
      } catch (Exception error) {
        line = "0\t" + error;
      }
      System.out.println(line);
    }
  }

  private static String byHttpClient(HttpClient client, String token, String method, URI url, String body)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(url).header("Authorization", "Bearer " + token);
    if (method.equals("POST")) {
      request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
    }
    HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return answer.statusCode() + "\t" + answer.body();
  }

  private static String byUrlConnection(String token, String method, URI url, String body) throws Exception {
    HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setRequestProperty("Authorization", "Bearer " + token);
    if (method.equals("POST")) {
      connection.setRequestProperty("Content-Type", "application/json");
      connection.setDoOutput(true);
      connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
    }
    int status = connection.getResponseCode();
    try (InputStream stream = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      String text = stream == null ? "" : new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      return status + "\t" + text;
    }
  }
}
